// DetectAnomaly: errors name the operation that produced the first NaN or infinity.

#include <gradus/autograd/anomaly.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/scope.hpp>
#include <gradus/autograd/tape.hpp>

#include <cmath>
#include <limits>
#include <thread>
#include <vector>

#include "autograd/helpers.hpp"

using gradus::DetectAnomaly;
using gradus::Dtype;
using gradus::Scope;
using gradus::Tensor;
using gradus::tensor;

TEST_CASE("the error names the operation that produced the first NaN, its module and its inputs",
          "[autograd][anomaly]") {
  const DetectAnomaly detect;
  const Tensor x = leaf(tensor({{1, 4}, {9, -1}}));
  const Scope decoder("decoder");
  const Tensor shifted = x + tensor({0, 0});
  const Scope attention("attention");
  CHECK_ERROR(
      sqrt(shifted),
      "sqrt: its result (2, 2) has nan at [1, 1]; its inputs are 'add' (2, 2) in decoder (finite) [in "
      "decoder.attention]");
  CHECK_ERROR(
      log(tensor({1, 0})),
      "log: its result (2) has -inf at [1]; its inputs are a constant (2) (finite) [in decoder.attention]");
  CHECK_ERROR(
      x / tensor({1, 0}),
      "div: its result (2, 2) has inf at [0, 1]; its inputs are 'leaf' (2, 2) (finite), a constant (2) "
      "(finite) [in decoder.attention]");
}

TEST_CASE("the error says when an input already contained a NaN", "[autograd][anomaly]") {
  const Tensor bad = tensor({1, std::numeric_limits<double>::quiet_NaN()}, Dtype::f64);
  const DetectAnomaly detect;
  CHECK_ERROR(bad * 2.0,
              "mul: its result (2) has nan at [1]; its inputs are a constant (2) (nan at [1]), a constant () "
              "(finite)");
  CHECK_ERROR(linear(bad, bad.reshape({1, 2})),
              "reshape: its result (1, 2) has nan at [0, 1]; its inputs are a constant (2) (nan at [1])");
}

TEST_CASE("undefined and integer inputs are not anomalies", "[autograd][anomaly]") {
  const DetectAnomaly detect;
  const Tensor table = leaf(tensor({{1, 2}}));
  CHECK(embedding(table, tensor({0}, Dtype::i64)).numel() == 2);
  CHECK(linear(table, tensor({{1, 1}})).item() == 3);
}

TEST_CASE("an infinity that leaves no trace in the result is not an anomaly", "[autograd][anomaly]") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Tensor x = leaf(tensor({{-infinity, 1.0}, {0.0, -infinity}}));
  const DetectAnomaly detect;
  for (const int axis : {0, 1}) {
    CHECK(max(x, {axis}).to_vector<double>() == (axis == 0 ? std::vector{0.0, 1.0} : std::vector{1.0, 0.0}));
    CHECK(logsumexp(x, {axis}).to_vector<double>() ==
          (axis == 0 ? std::vector{0.0, 1.0} : std::vector{1.0, 0.0}));
  }
  CHECK_ERROR(min(x, {0}),
              "min: its result (2) has -inf at [0]; its inputs are 'leaf' (2, 2) (-inf at [0, 0])");
}

TEST_CASE("the error names the backward function that produced the first NaN or infinity",
          "[autograd][anomaly]") {
  const Tensor x = leaf(tensor({4, 0}));
  const Tensor loss = [&] {
    const Scope scope("encoder");
    return sum(sqrt(x * 1.0));
  }();
  const Tensor infinite = gradus::full({}, std::numeric_limits<double>::infinity());
  const DetectAnomaly detect;
  CHECK_ERROR(
      loss.backward(true),
      "sqrt: its backward made inf at [1] in the gradient of input 0, 'mul' (2) in encoder, from a finite "
      "gradient of its result (2) [in encoder]");
  CHECK_FALSE(x.grad().defined());
  CHECK_ERROR(
      sum(sqrt(x)).backward(infinite),
      "sum: its backward made inf at [0] in the gradient of input 0, 'sqrt' (2), from a gradient that has "
      "one too of its result ()");
}

TEST_CASE("the error names a saved value that contains a NaN", "[autograd][anomaly]") {
  const Tensor x = leaf(tensor({1, 2})), w = tensor({1, std::numeric_limits<double>::quiet_NaN()});
  const Tensor loss = sum(x * w);
  const DetectAnomaly detect;
  CHECK_ERROR(
      loss.backward(),
      "mul: its backward made nan at [1] in the gradient of input 0, 'leaf' (2), from a finite gradient "
      "of its result (2); a value (2) that it reads has nan at [1]");
}

TEST_CASE("without DetectAnomaly, and on other threads, nothing is checked", "[autograd][anomaly]") {
  CHECK_FALSE(gradus::detects_anomaly());
  CHECK(std::isnan(log(tensor({-1.0})).item()));
  {
    const DetectAnomaly outer;
    {
      const DetectAnomaly inner;
    }
    CHECK(gradus::detects_anomaly());
    std::thread([] { CHECK(std::isnan(log(tensor({-1.0})).item())); }).join();
  }
  CHECK_FALSE(gradus::detects_anomaly());
}
