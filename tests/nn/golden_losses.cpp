// Losses give PyTorch's numbers, forward and backward.

#include <gradus/nn/attention_loss.hpp>
#include <gradus/nn/loss.hpp>

#include "nn/against_golden.hpp"

namespace nn = gradus::nn;
using gradus::NamedTensors;

TEST_CASE("masked_cross_entropy with label smoothing is PyTorch's", "[nn][golden]") {
  const Golden golden("label_smoothing");
  const nn::Module none;
  check_against(golden, none, [&](const Leaves& leaf) {
    return NamedTensors{
        {"loss", nn::masked_cross_entropy(leaf.at("logits"), golden["targets"], golden["lengths"], 0.1)}};
  });
}

TEST_CASE("attention entropy and coverage loss give their equations", "[nn][golden]") {
  const Golden golden("attention_losses");
  const nn::Module none;
  check_against(golden, none, [&](const Leaves& leaf) {
    return NamedTensors{{"entropy", nn::attention_entropy(leaf.at("weights"), golden["lengths"])},
                        {"coverage", nn::coverage_loss(leaf.at("weights"), golden["lengths"])}};
  });
}
