// Losses must give PyTorch's numbers, forward and backward.

#include <gradus/nn/attention_loss.hpp>
#include <gradus/nn/loss.hpp>

#include "nn/against_golden.hpp"

namespace nn = gradus::nn;
using gradus::NamedTensors;

TEST_CASE("masked_cross_entropy with label smoothing matches PyTorch", "[nn][golden]") {
  const auto check = [](const Golden& golden, double amount) {
    INFO(amount);
    const nn::Module none;
    check_against(golden, none, [&](const Leaves& leaf) {
      return NamedTensors{{"loss", nn::masked_cross_entropy(leaf.at("logits"), golden["targets"],
                                                            golden["lengths"], amount)}};
    });
  };
  check(Golden("label_smoothing"), 0.1);
  const Golden amounts("label_smoothing_amounts");
  check(amounts.part("none."), 0);
  check(amounts.part("some."), 0.3);
  check(amounts.part("all."), 1);
}

TEST_CASE("attention entropy and coverage loss give their equations", "[nn][golden]") {
  const Golden golden("attention_losses");
  const nn::Module none;
  check_against(golden, none, [&](const Leaves& leaf) {
    return NamedTensors{{"entropy", nn::attention_entropy(leaf.at("weights"), golden["lengths"])},
                        {"coverage", nn::coverage_loss(leaf.at("weights"), golden["lengths"])}};
  });
}
