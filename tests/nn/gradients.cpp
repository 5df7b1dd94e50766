// Every element of every gradient of every module, against differences in double. All sizes differ.

#include <gradus/nn/embedding.hpp>
#include <gradus/nn/gradcheck.hpp>
#include <gradus/nn/gru.hpp>
#include <gradus/nn/linear.hpp>
#include <gradus/nn/loss.hpp>

#include "nn/helpers.hpp"

namespace nn = gradus::nn;
using gradus::Generator;
using gradus::Tensor;

TEST_CASE("Linear has right gradients, with and without bias", "[nn][gradients]") {
  Generator generator(1);
  const Tensor x = random({2, 4, 3}, generator);
  nn::Linear with_bias(3, 5), without(3, 5, false);
  check_gradients(nn::gradcheck(with_bias, x), 3);
  check_gradients(nn::gradcheck(without, x), 2);
}

TEST_CASE("Embedding adds up the gradients of a token that comes twice", "[nn][gradients]") {
  nn::Embedding embedding(5, 3);
  check_gradients(nn::gradcheck(embedding, integers({4, 1, 4, 0, 4})), 1);
}

TEST_CASE("GRUCell has right gradients", "[nn][gradients]") {
  const FusedAndComposed both;
  Generator generator(2);
  nn::GRUCell cell(3, 4);
  check_gradients(nn::gradcheck(cell, random({2, 3}, generator), random({2, 4}, generator)), 6);
}

TEST_CASE("GRU has right gradients", "[nn][gradients]") {
  const FusedAndComposed both;
  Generator generator(3);
  constexpr int T = 5, B = 4, I = 2, H = 3;
  const Tensor x = random({T, B, I}, generator), lengths = integers({3, 1, T, 2}), none;
  nn::GRU forward(I, H), both_ways(I, H, {.bidirectional = true});
  const Tensor h_0 = random({1, B, H}, generator), h_0s = random({2, B, H}, generator);

  check_gradients(nn::gradcheck(forward, x), 5);
  check_gradients(nn::gradcheck(forward, x, lengths, h_0), 6);
  check_gradients(nn::gradcheck(both_ways, x, lengths), 9);
  check_gradients(nn::gradcheck(both_ways, x, none, h_0s), 10);
  check_gradients(nn::gradcheck(both_ways, x, lengths, h_0s), 10);
}

TEST_CASE("masked_cross_entropy has right gradients", "[nn][gradients]") {
  Generator generator(5);
  const Tensor targets = gradus::tensor(Ids{3, 0, 1, 1, 4, 2, 0, 0}, {4, 2}), lengths = integers({3, 1});
  const auto loss = [&](const std::vector<Tensor>& x) {
    return nn::masked_cross_entropy(x[0], targets, lengths);
  };
  check_gradients(gradus::gradcheck(loss, {random({4, 2, 5}, generator)}), 1);
}
