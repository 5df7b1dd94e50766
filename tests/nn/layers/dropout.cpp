// Dropout in training and in eval mode.

#include <gradus/nn/dropout.hpp>
#include <gradus/nn/locked_dropout.hpp>

#include <limits>

#include "nn/helpers.hpp"

using gradus::ones;
using gradus::Tensor;
using gradus::nn::Dropout;
using gradus::nn::LockedDropout;

TEST_CASE("in eval mode nothing is dropped", "[nn][dropout]") {
  Dropout dropout(0.9);
  dropout.eval();
  const Tensor x = ones({100});
  CHECK(dropout.forward(x).is(x));
}

TEST_CASE("in training a fraction is dropped, and the rest is scaled up", "[nn][dropout]") {
  gradus::seed(1);
  const Tensor x = leaf(ones({20000}));
  const Tensor y = Dropout(0.2).forward(x);
  const auto values = y.to_vector<float>();
  const auto dropped = std::count(values.begin(), values.end(), 0.0f);
  CHECK(std::abs(static_cast<double>(dropped) / 20000 - 0.2) < 0.01);  // 0.01 is 3.5 standard deviations
  CHECK(dropped + std::count(values.begin(), values.end(), 1.25f) == 20000);

  sum(y).backward();
  CHECK(mismatch(x.grad(), y) == "");  // x is all ones, so both equal the mask
}

TEST_CASE("each call draws a new mask, and a seed repeats it", "[nn][dropout]") {
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

TEST_CASE("Dropout refuses a probability below 0 or of at least 1", "[nn][dropout]") {
  CHECK_ERROR(Dropout(1), "Dropout: the probability must be in [0, 1), and is 1");
  CHECK_ERROR(Dropout(-0.5), "Dropout: the probability must be in [0, 1), and is -0.5");
  CHECK_ERROR(Dropout(std::numeric_limits<double>::quiet_NaN()),
              "Dropout: the probability must be in [0, 1), and is nan");
}

TEST_CASE("in training, locked dropout uses one mask for all steps of a sequence", "[nn][dropout]") {
  gradus::seed(1);
  const Tensor x = leaf(ones({3, 100, 200}));
  const Tensor y = LockedDropout(0.2).forward(x);
  CHECK(mismatch(y[1], y[0]) == "");
  CHECK(mismatch(y[2], y[0]) == "");
  const auto values = y[0].to_vector<float>();
  const auto dropped = std::count(values.begin(), values.end(), 0.0f);
  CHECK(std::abs(static_cast<double>(dropped) / 20000 - 0.2) < 0.01);
  CHECK(dropped + std::count(values.begin(), values.end(), 1.25f) == 20000);
  CHECK(mismatch(y[0][0], y[0][1]) != "");  // the rows of a batch have different masks

  sum(y).backward();
  CHECK(mismatch(x.grad(), y) == "");
}

TEST_CASE("locked dropout scales the input in training, and not in eval mode", "[nn][dropout]") {
  gradus::seed(2);
  LockedDropout dropout(0.5);
  const Tensor x = gradus::tensor({{1, 2, 3, 4}, {5, 6, 7, 8}}), y = dropout.forward(x);
  gradus::seed(2);
  CHECK(mismatch(y, x * dropout.forward(ones({1, 4}))) == "");
  CHECK(mismatch(y, x) != "");
  dropout.eval();
  CHECK(dropout.forward(x).is(x));
}

TEST_CASE("locked dropout refuses an invalid probability, and a scalar", "[nn][dropout]") {
  CHECK_ERROR(LockedDropout(1), "Dropout: the probability must be in [0, 1), and is 1");
  CHECK_ERROR(LockedDropout(0.5).forward(gradus::tensor(1)),
              "LockedDropout: a scalar has no steps; the input must be (T, …)");
}
