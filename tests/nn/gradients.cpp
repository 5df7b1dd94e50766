// Compares the gradients of Linear, Embedding, recurrent cells and modules, masked_cross_entropy and dropout
// with finite differences, in double precision.

#include <gradus/nn/dropout.hpp>
#include <gradus/nn/embedding.hpp>
#include <gradus/nn/gradcheck.hpp>
#include <gradus/nn/linear.hpp>
#include <gradus/nn/locked_dropout.hpp>
#include <gradus/nn/loss.hpp>

#include "nn/recurrent.hpp"

namespace nn = gradus::nn;
using gradus::Generator;
using gradus::Tensor;

TEST_CASE("Linear has correct gradients, with and without bias", "[nn][gradients]") {
  Generator generator(1);
  const Tensor x = random({2, 4, 3}, generator);
  nn::Linear with_bias(3, 5), without(3, 5, false);
  check_gradients(nn::gradcheck(with_bias, x), 3);
  check_gradients(nn::gradcheck(without, x), 2);
}

TEST_CASE("Embedding sums the gradients of a repeated token", "[nn][gradients]") {
  nn::Embedding embedding(5, 3);
  check_gradients(nn::gradcheck(embedding, integers({4, 1, 4, 0, 4})), 1);
}

TEST_CASE("recurrent cells have correct gradients", "[nn][gradients]") {
  const FusedAndComposed both;
  Generator generator(2);
  const Tensor x = random({2, 3}, generator), h = random({2, 4}, generator), c = random({2, 4}, generator);
  nn::RNNCell rnn(3, 4), without_bias(3, 4, {.bias = false});
  nn::GRUCell gru(3, 4), original(3, 4, {.form = nn::GRUForm::original});
  nn::LSTMCell lstm(3, 4);
  check_gradients(nn::gradcheck(rnn, x, h), 6);
  check_gradients(nn::gradcheck(without_bias, x, h), 4);
  check_gradients(nn::gradcheck(gru, x, h), 6);
  check_gradients(nn::gradcheck(original, x, h), 6);
  check_gradients(nn::gradcheck(lstm, x, h, c), 7);
}

TEMPLATE_TEST_CASE("recurrent modules have correct gradients", "[nn][gradients][long]", RECURRENT_KINDS) {
  const FusedAndComposed both;
  Generator generator(3);
  constexpr int T = 5, B = 4, I = 2, H = 3;
  const Tensor x = random({T, B, I}, generator), lengths = integers({3, 1, T, 2}), none;
  TestType forward(I, H), both_ways(I, H, {.bidirectional = true});
  TestType layers(I, H, {.layers = 2, .bidirectional = true, .bias = false});
  check_gradients(nn::gradcheck(forward, x), 5);
  check_gradients(nn::gradcheck(both_ways, x, lengths), 9);

  // Checks the gradients of the parameters, of x, and of the first states: h_0, and c_0 in an LSTM.
  const auto check = [&](TestType& net, const Tensor& up_to, std::int64_t states) {
    const Tensor h_0 = random({states, B, H}, generator), c_0 = random({states, B, H}, generator);
    const std::size_t parameters = net.parameters().size();
    if constexpr (std::same_as<TestType, nn::LSTM>) {
      check_gradients(nn::gradcheck(net, x, up_to, h_0, c_0), parameters + 3);
    } else {
      check_gradients(nn::gradcheck(net, x, up_to, h_0), parameters + 2);
    }
  };
  check(forward, lengths, 1);
  check(both_ways, none, 2);
  check(layers, lengths, 4);
}

TEST_CASE("masked_cross_entropy has correct gradients, with and without label smoothing", "[nn][gradients]") {
  const double smoothing = GENERATE(0.0, 0.2);
  Generator generator(5);
  const Tensor targets = gradus::tensor(Ids{3, 0, 1, 1, 4, 2, 0, 0}, {4, 2}), lengths = integers({3, 1});
  const auto loss = [&](const std::vector<Tensor>& x) {
    return nn::masked_cross_entropy(x[0], targets, lengths, smoothing);
  };
  check_gradients(gradus::gradcheck(loss, {random({4, 2, 5}, generator)}), 1);
}

// The generator is seeded before each call, so that all calls use the same mask.
TEMPLATE_TEST_CASE("dropout has correct gradients in training", "[nn][gradients]", nn::Dropout,
                   nn::LockedDropout) {
  Generator generator(6);
  const TestType dropout(0.4);
  const auto drop = [&](const std::vector<Tensor>& x) {
    gradus::seed(7);
    return dropout.forward(x[0]);
  };
  const Tensor x = random({4, 2, 3}, generator);
  CHECK(mismatch(drop({x}), x) != "");
  check_gradients(gradus::gradcheck(drop, {x}), 1);
}
