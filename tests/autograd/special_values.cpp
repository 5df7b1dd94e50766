// Kinks, poles, ties, infinities and NaN: what differences cannot check.

#include <gradus/autograd/fused.hpp>
#include <gradus/autograd/ops.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include "helpers.hpp"

using gradus::Dtype;
using gradus::Generator;
using gradus::ones;
using gradus::Tensor;
using gradus::tensor;

using Floats = std::vector<float>;
using Ids = std::vector<std::int64_t>;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

bool all_nan(const Tensor& tensor) {
  for (const double value : tensor.to_vector<double>()) {
    if (!std::isnan(value)) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("relu and its gradient are 0 at 0", "[autograd][special]") {
  const Tensor x = leaf(tensor({-1, 0, 2}));
  const Tensor y = relu(x);
  CHECK(y.to_vector<float>() == Floats{0, 0, 2});
  y.backward(tensor({5, 5, 5}));
  CHECK(x.grad().to_vector<float>() == Floats{0, 0, 5});
}

TEST_CASE("NaN goes through every function, so that a divergence is seen", "[autograd][special]") {
  for (const Dtype dtype : {Dtype::f32, Dtype::f64}) {
    const Tensor x = gradus::full({19}, not_a_number, dtype), one = ones({19}, dtype);
    for (const Tensor& y :
         {x + one, x - one, x * one, x / one, one / x, -x, exp(x), log(x), tanh(x), sigmoid(x), relu(x),
          sum(x), mean(x), softmax(x), log_softmax(x), cross_entropy(x, gradus::full({}, 3, Dtype::i64)),
          matmul(x.reshape({1, 19}), one.reshape({19, 1}))}) {
      CHECK(all_nan(y));
    }
  }
  CHECK(all_nan(softmax(tensor({1, not_a_number, 2}))));
  CHECK(all_nan(log_softmax(tensor({1, 2, not_a_number}))));
  CHECK(all_nan(sum(tensor({1, not_a_number, 2}))));
}

TEST_CASE("logarithm and division have their poles", "[autograd][special]") {
  CHECK(log(tensor({0.0})).item() == -infinity);
  CHECK(all_nan(log(tensor({-1.0}))));
  CHECK((tensor({1, -1}) / tensor({0, 0})).to_vector<double>() == std::vector<double>{infinity, -infinity});
}

TEST_CASE("saturated functions have gradient 0", "[autograd][special]") {
  for (const Dtype dtype : {Dtype::f32, Dtype::f64}) {
    const Tensor x = leaf(tensor({-1000, 1000, -infinity, infinity}, dtype));
    (tanh(x) + sigmoid(x)).backward(ones({4}, dtype));
    CHECK(difference(x.grad().to_vector<double>(), {0, 0, 0, 0}, 1e-37) == "");
  }
}

TEST_CASE("comparisons are strict, and false for NaN", "[autograd][special]") {
  CHECK(greater(tensor({1, 2, 2, not_a_number, 1}), tensor({2, 1, 2, 1, not_a_number}))
            .to_vector<std::int64_t>() == Ids{0, 1, 0, 0, 0});
}

TEST_CASE("argmax takes the first of the largest, and NaN for largest", "[autograd][special]") {
  CHECK(argmax(tensor({2, 7, 7, 1})).item() == 1);
  CHECK(argmax(tensor({-infinity, -infinity})).item() == 0);
  CHECK(argmax(tensor({1, not_a_number, 9, not_a_number})).item() == 1);
  CHECK(argmax(tensor({not_a_number, 9})).item() == 0);
  CHECK(argmax(tensor({{3, 4}, {4, 3}, {5, 5}})).to_vector<std::int64_t>() == Ids{1, 0, 0});
}

TEST_CASE("where() keeps what is not taken out of the gradient", "[autograd][special]") {
  const Tensor x = leaf(tensor({0, 4}));
  const Tensor safe = where(greater(x, gradus::zeros({})), log(x), gradus::zeros({}));
  CHECK(difference(safe.to_vector<double>(), {0, std::log(4)}, 1e-6) == "");
  const Tensor a = leaf(tensor({1, 2})), b = leaf(tensor({not_a_number, not_a_number}));
  where(tensor({1, 0}, Dtype::i64), a, b).backward(tensor({3, 5}));
  CHECK(a.grad().to_vector<float>() == Floats{3, 0});
  CHECK(b.grad().to_vector<float>() == Floats{0, 5});
}

TEST_CASE("softmax does not overflow", "[autograd][special]") {
  for (const Dtype dtype : {Dtype::f32, Dtype::f64}) {
    const Tensor x = leaf(tensor({1000, 1001, -1000, -infinity}, dtype));
    const double e = std::exp(1.0);
    const Tensor p = softmax(x);
    CHECK(difference(p.to_vector<double>(), {1 / (1 + e), e / (1 + e), 0, 0}, 1e-6) == "");
    p.backward(tensor({1, 2, 3, 4}, dtype));
    CHECK(difference(x.grad().to_vector<double>(), {-e / std::pow(1 + e, 2), e / std::pow(1 + e, 2), 0, 0},
                     1e-6) == "");
    CHECK(difference(log_softmax(x).slice(0, 3).to_vector<double>(),
                     {-std::log(1 + e), 1 - std::log(1 + e), -2000 - std::log(1 + e)}, 1e-6) == "");
    CHECK(cross_entropy(tensor({{5000, 0}}, dtype), tensor({1}, Dtype::i64)).item() == 5000);
    CHECK(difference({cross_entropy(tensor({{1000, 1001}}, dtype), tensor({1}, Dtype::i64)).item()},
                     {std::log(1 + e) - 1}, 1e-6) == "");
  }
}

TEST_CASE("what lies beyond a length is never looked at", "[autograd][special]") {
  const Tensor lengths = tensor({1, 0, 2}, Dtype::i64);
  const Tensor x = leaf(tensor({{1, not_a_number}, {not_a_number, infinity}, {3, 3}}));
  const Tensor p = masked_softmax(x, lengths);
  CHECK(p.to_vector<float>() == Floats{1, 0, 0, 0, 0.5F, 0.5F});
  p.backward(tensor({{1, 2}, {3, 4}, {5, 7}}));
  CHECK(x.grad().to_vector<float>() == Floats{0, 0, 0, 0, -0.5F, 0.5F});
  CHECK(masked_softmax(tensor({{0, 0}}), Tensor()).to_vector<float>() ==
        Floats{0.5F, 0.5F});  // no lengths: all

  const Tensor values =
      leaf(tensor({{1, not_a_number, 2}, {not_a_number, not_a_number, 3}}).reshape({2, 3, 1}));  // (T, B, D)
  const Tensor context = weighted_sum(p.detach(), values, lengths);
  CHECK(context.to_vector<float>() == Floats{1, 0, 2.5F});
  sum(context).backward();
  CHECK(values.grad().to_vector<float>() == Floats{1, 0, 0.5F, 0, 0, 0.5F});
}

TEST_CASE("ignored targets count for nothing", "[autograd][special]") {
  const Tensor x = leaf(tensor({{not_a_number, not_a_number}, {0, 0}}));
  const Tensor loss = cross_entropy(x, tensor({-1, 1}, Dtype::i64));
  CHECK(difference({loss.item()}, {std::log(2)}, 1e-6) == "");
  loss.backward();
  CHECK(x.grad().to_vector<float>() == Floats{0, 0, 0.5F, -0.5F});
  CHECK(cross_entropy(x, tensor({-1, -1}, Dtype::i64)).item() == 0);
}

TEST_CASE("dropout draws once an element, keeps the mean, and does nothing at 0", "[autograd][special]") {
  Generator generator(1);
  const Tensor x = ones({100, 100});
  CHECK(dropout(x, 0, generator).is(x));
  CHECK(generator.state().position == 0);
  CHECK(std::abs(mean(dropout(x, 0.25, generator)).item() - 1) < 0.025);  // four standard errors
  CHECK(generator.state().position == 10'000);
  Tensor dropped = dropout(leaf(ones({2})), 0.5, generator);
  CHECK_ERROR(
      dropped.set_requires_grad(),
      "set_requires_grad: this (2) is the result of 'dropout'; only a leaf can be switched; use detach()");
  CHECK_ERROR(dropout(x, not_a_number, generator), "dropout: the probability must be in [0, 1), and is nan");
}
