// Layers must give PyTorch's numbers, forward and backward.

#include <gradus/nn/activations.hpp>
#include <gradus/nn/bilinear.hpp>
#include <gradus/nn/embedding.hpp>
#include <gradus/nn/layer_norm.hpp>
#include <gradus/nn/linear.hpp>
#include <gradus/nn/maxout.hpp>
#include <gradus/nn/sequential.hpp>

#include "nn/against_golden.hpp"

namespace nn = gradus::nn;
using gradus::NamedTensors;

namespace {

void check_layer(const std::string& name, const nn::Layer& layer) {
  check_against(Golden(name), layer,
                [&](const Leaves& leaf) { return NamedTensors{{"output", layer.forward(leaf.at("x_1"))}}; });
}

void check_bilinear(const std::string& name, const nn::Bilinear& bilinear) {
  check_against(Golden(name), bilinear, [&](const Leaves& leaf) {
    return NamedTensors{{"output", bilinear.forward(leaf.at("x_1"), leaf.at("x_2"))}};
  });
}

}  // namespace

TEST_CASE("Bilinear matches PyTorch, with and without bias", "[nn][golden]") {
  check_bilinear("bilinear", nn::Bilinear(4, 5, 6));
  check_bilinear("bilinear_plain", nn::Bilinear(4, 5, 6, false));
}

TEST_CASE("Embedding with padding matches PyTorch", "[nn][golden]") {
  const Golden golden("embedding");
  const nn::Embedding embedding(6, 3, {.padding = 2});
  check_against(golden, embedding,
                [&](const Leaves&) { return NamedTensors{{"output", embedding.forward(golden["ids"])}}; });
}

TEST_CASE("LayerNorm matches PyTorch", "[nn][golden]") { check_layer("layer_norm", nn::LayerNorm(5, 1e-3)); }

TEST_CASE("Sequential and the activations match PyTorch", "[nn][golden]") {
  using std::make_unique;
  check_layer("sequential", nn::Sequential(make_unique<nn::Linear>(4, 7), make_unique<nn::Tanh>(),
                                           make_unique<nn::LayerNorm>(7), make_unique<nn::ReLU>(),
                                           make_unique<nn::Linear>(7, 5), make_unique<nn::Softplus>(),
                                           make_unique<nn::Linear>(5, 6, false), make_unique<nn::Sigmoid>()));
}

TEST_CASE("Maxout gives the paper's deep output", "[nn][golden]") { check_layer("maxout", nn::Maxout(3, 5)); }
