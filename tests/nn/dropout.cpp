// Dropout: noise in training, nothing in eval mode.

#include <gradus/nn/dropout.hpp>

#include <limits>

#include "nn/helpers.hpp"

using gradus::ones;
using gradus::Tensor;
using gradus::nn::Dropout;

TEST_CASE("in eval mode nothing is dropped", "[nn][dropout]") {
  Dropout dropout(0.9);
  dropout.eval();
  const Tensor x = ones({100});
  CHECK(dropout.forward(x).is(x));
}

TEST_CASE("in training a share is dropped, and the rest makes up for it", "[nn][dropout]") {
  gradus::seed(1);
  const Tensor x = leaf(ones({20000}));
  const Tensor y = Dropout(0.2).forward(x);
  const auto values = y.to_vector<float>();
  const auto dropped = std::count(values.begin(), values.end(), 0.0f);
  CHECK(std::abs(static_cast<double>(dropped) / 20000 - 0.2) < 0.01);  // 3.5 standard deviations
  CHECK(dropped + std::count(values.begin(), values.end(), 1.25f) == 20000);

  sum(y).backward();
  CHECK(mismatch(x.grad(), y) == "");  // of ones: the gradient passes where the value did
}

TEST_CASE("each call drops others, and a seed the same again", "[nn][dropout]") {
  const Dropout dropout(0.5);
  const auto drop = [&] { return dropout.forward(ones({50})).to_vector<float>(); };
  gradus::seed(2);
  const auto first = drop(), second = drop();
  gradus::seed(2);
  CHECK(drop() == first);
  CHECK(drop() == second);
  CHECK(first != second);
}

TEST_CASE("a probability of 0 drops nothing in training either", "[nn][dropout]") {
  const Tensor x = ones({10});
  CHECK(mismatch(Dropout(0).forward(x), x) == "");
}

TEST_CASE("Dropout refuses what is no probability, or would drop all", "[nn][dropout]") {
  CHECK_ERROR(Dropout(1), "Dropout: the probability must be in [0, 1), and is 1");
  CHECK_ERROR(Dropout(-0.5), "Dropout: the probability must be in [0, 1), and is -0.5");
  CHECK_ERROR(Dropout(std::numeric_limits<double>::quiet_NaN()),
              "Dropout: the probability must be in [0, 1), and is nan");
}
