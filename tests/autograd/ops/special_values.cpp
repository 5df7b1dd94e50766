// Kinks, poles, ties, infinities and NaN, which finite differences cannot check. Also: masked elements and
// padding, dropout, accuracy of long sums, and invalid sizes.

#include <gradus/autograd/composed.hpp>
#include <gradus/autograd/fused.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/packing.hpp>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "autograd/helpers.hpp"

using gradus::Dtype;
using gradus::Generator;
using gradus::grad;
using gradus::ones;
using gradus::Packing;
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

TEST_CASE("abs and its gradient are 0 at 0", "[autograd][special]") {
  const Tensor x = leaf(tensor({-1, 0, 2}));
  const Tensor y = abs(x);
  CHECK(y.to_vector<float>() == Floats{1, 0, 2});
  y.backward(tensor({5, 5, 5}));
  CHECK(x.grad().to_vector<float>() == Floats{-5, 0, 5});
}

TEST_CASE("clamp passes the gradient at both bounds", "[autograd][special]") {
  const Tensor x = leaf(tensor({-2, -1, 0, 1, 2}));
  const Tensor y = clamp(x, -1, 1);
  CHECK(y.to_vector<float>() == Floats{-1, -1, 0, 1, 1});
  y.backward(tensor({5, 5, 5, 5, 5}));
  CHECK(x.grad().to_vector<float>() == Floats{0, 5, 5, 5, 0});
  CHECK_ERROR(clamp(x, not_a_number, 1), "clamp: needs low ≤ high, and got nan and 1");
}

TEST_CASE("maximum and minimum split the gradient between equal inputs", "[autograd][special]") {
  const Tensor a = leaf(tensor({1, 2, 3})), b = leaf(tensor({2, 2, 2}));
  const Tensor larger = maximum(a, b);
  CHECK(larger.to_vector<float>() == Floats{2, 2, 3});
  larger.backward(tensor({6, 6, 6}));
  CHECK(a.grad().to_vector<float>() == Floats{0, 3, 6});
  CHECK(b.grad().to_vector<float>() == Floats{6, 3, 0});
  const auto found = grad({minimum(a, b)}, {a, b}, {tensor({6, 6, 6})});
  CHECK(found[0].to_vector<float>() == Floats{6, 3, 0});
  CHECK(found[1].to_vector<float>() == Floats{0, 3, 6});
}

TEST_CASE("max and min split the gradient equally between ties", "[autograd][special]") {
  const Tensor x = leaf(tensor({{1, 7, 7}, {7, 0, 0}}));
  const Tensor of_all = max(x);
  CHECK(of_all.item() == 7);
  CHECK(grad({of_all}, {x}, {tensor({6.0}).reshape({})})[0].to_vector<float>() == Floats{0, 2, 2, 2, 0, 0});
  CHECK(grad({max(x, 1)}, {x}, {tensor({6, 10})})[0].to_vector<float>() == Floats{0, 3, 3, 10, 0, 0});
  CHECK(grad({min(x, 1)}, {x}, {tensor({6, 10})})[0].to_vector<float>() == Floats{6, 0, 0, 0, 5, 5});
  CHECK(max(tensor({-infinity, -infinity})).item() == -infinity);
  CHECK(min(tensor({infinity, infinity})).item() == infinity);
}

TEST_CASE("the gradient of sqrt is infinite at 0", "[autograd][special]") {
  const Tensor x = leaf(tensor({4, 0, -1}));
  const Tensor y = sqrt(x);
  CHECK(y.to_vector<float>()[1] == 0);
  CHECK(std::isnan(y.to_vector<float>()[2]));
  y.backward(ones({3}));
  CHECK(x.grad().to_vector<float>()[0] == 0.25F);
  CHECK(x.grad().to_vector<float>()[1] == infinity);
}

TEST_CASE("powers of 0 and of negative numbers", "[autograd][special]") {
  const Tensor x = leaf(tensor({-2, 0}));
  CHECK(pow(x, 3).to_vector<float>() == Floats{-8, 0});
  CHECK(grad({pow(x, 3)}, {x}, {ones({2})})[0].to_vector<float>() == Floats{12, 0});
  CHECK(pow(x, 0).to_vector<float>() == Floats{1, 1});
  CHECK(grad({pow(x, 0)}, {x}, {ones({2})})[0].to_vector<float>() == Floats{0, 0});  // not 0 · ∞
  CHECK(std::isnan(pow(x, 0.5).to_vector<float>()[0]));

  const Tensor a = leaf(tensor({0, 0, -2, 3})), b = leaf(tensor({0, 2, 3, 0}));
  CHECK(pow(a, b).to_vector<float>() == Floats{1, 0, -8, 1});
  const auto found = grad({pow(a, b)}, {a, b}, {ones({4})});
  CHECK(found[0].to_vector<float>() == Floats{0, 0, 12, 0});
  const std::vector<float> at_power = found[1].to_vector<float>();
  CHECK(at_power[0] == 0);
  CHECK(at_power[1] == 0);
  CHECK(std::isnan(at_power[2]));  // (−2)^y is NaN for y near 3, but not at 3
  CHECK(difference({at_power[3]}, {std::log(3.0)}, 1e-6) == "");
}

TEST_CASE("powers of infinity, powers of 1 and the power 0 follow IEEE 754", "[autograd][special]") {
  struct Power {
    double x, p, y, at_x;
  };
  for (const auto [x, p, y, at_x] : {Power{-infinity, 0.5, infinity, 0},
                                     {-infinity, -0.5, 0, 0},
                                     {-infinity, 2, infinity, -infinity},
                                     {-infinity, 3, -infinity, infinity},
                                     {-infinity, 1, -infinity, 1},
                                     {-infinity, -1, 0, 0},
                                     {infinity, 0.5, infinity, 0},
                                     {infinity, -2, 0, 0},
                                     {0, -1, infinity, -infinity},
                                     {0, 0.5, 0, infinity},
                                     {-infinity, 0, 1, 0},
                                     {not_a_number, 0, 1, 0},
                                     {1, infinity, 1, infinity}}) {
    for (const Dtype dtype : {Dtype::f32, Dtype::f64}) {
      CAPTURE(x, p, name(dtype));
      const Tensor base = leaf(gradus::full({}, x, dtype)), power = gradus::full({}, p, dtype);
      for (const Tensor& result : {pow(base, p), pow(base, power)}) {
        CHECK(result.item() == y);
        CHECK(grad({result}, {base})[0].item() == at_x);
      }
    }
  }
  CHECK(pow(ones({1}), not_a_number).item() == 1);
  CHECK(all_nan(pow(tensor({-2.0}), infinity - infinity)));
  const Tensor tiny = leaf(tensor({0.0}));  // below, the exponent 1e-60 becomes 0 in f32
  CHECK(grad({pow(tiny, 1e-60)}, {tiny})[0].item() == 0);
}

TEST_CASE("softplus neither overflows nor loses small values", "[autograd][special]") {
  for (const Dtype dtype : {Dtype::f32, Dtype::f64}) {
    const Tensor x = leaf(tensor({-1000, -50, 50, 1000, infinity}, dtype));
    const Tensor y = softplus(x);
    const std::vector<double> values = y.to_vector<double>();
    CHECK(values[0] == 0);
    CHECK(std::abs(values[1] / std::exp(-50.0) - 1) < 1e-5);
    CHECK(values[2] == 50);
    CHECK(values[3] == 1000);
    CHECK(values[4] == infinity);
    y.backward(ones({5}, dtype));
    CHECK(difference(x.grad().to_vector<double>(), {0, std::exp(-50.0), 1, 1, 1}, 1e-7) == "");
  }
}

TEST_CASE("logsumexp neither overflows nor turns infinities into NaN", "[autograd][special]") {
  for (const Dtype dtype : {Dtype::f32, Dtype::f64}) {
    const Tensor x = leaf(tensor({{1000, 1000}, {-infinity, 2}, {-infinity, -infinity}}, dtype));
    const Tensor y = logsumexp(x, 1);
    CHECK(difference({y[0].item(), y[1].item()}, {1000 + std::log(2), 2}, 1e-6) == "");
    CHECK(y[2].item() == -infinity);
    y.backward(tensor({4, 5, 6}, dtype));
    CHECK(difference(x.grad().to_vector<double>(), {2, 2, 0, 5, 0, 0}, 5e-5) == "");
    CHECK(logsumexp(tensor({infinity, 1}, dtype)).item() == infinity);
    CHECK(logsumexp(gradus::zeros({0}, dtype)).item() == -infinity);
  }
}

TEST_CASE("binary cross-entropy is finite at any logit", "[autograd][special]") {
  for (const Dtype dtype : {Dtype::f32, Dtype::f64}) {
    const Tensor x = leaf(tensor({1000, -1000, 1000, -1000}, dtype));
    const Tensor loss = binary_cross_entropy(x, tensor({1, 0, 0, 1}, dtype));
    CHECK(loss.item() == 500);
    loss.backward();
    CHECK(difference(x.grad().to_vector<double>(), {0, 0, 0.25, -0.25}, 1e-12) == "");
  }
}

TEST_CASE("layer_norm of a constant row is the bias, with a finite gradient", "[autograd][special]") {
  const Tensor x = leaf(gradus::full({1, 4}, 3)), bias = tensor({1, 2, 3, 4});
  const Tensor y = layer_norm(x, ones({4}), bias);
  CHECK(y.to_vector<float>() == Floats{1, 2, 3, 4});
  y.backward(tensor({{1, 0, 0, -1}}));
  CHECK(difference(x.grad().to_vector<double>(), {1 / std::sqrt(1e-5), 0, 0, -1 / std::sqrt(1e-5)}, 1e-4) ==
        "");
}

TEST_CASE("variance stays accurate when the mean is large", "[autograd][special]") {
  const Tensor x = tensor({10001, 10002, 10003});  // in f32, E[x²] − E[x]² would lose every digit
  CHECK(variance(x).item() == 1);
  CHECK(difference({variance(x, {}, false, 0).item()}, {2.0 / 3}, 1e-6) == "");
}

TEST_CASE("masked_fill gives masked elements gradient 0, even NaN", "[autograd][special]") {
  const Tensor x = leaf(tensor({1, not_a_number, 3}));
  const Tensor y = masked_fill(x, tensor({0, 1, 0}, Dtype::i64), -infinity);
  CHECK(y.to_vector<float>() == Floats{1, -std::numeric_limits<float>::infinity(), 3});
  softmax(y).backward(tensor({1, 2, 3}));
  CHECK(x.grad().to_vector<float>()[1] == 0);
}

TEST_CASE("every function propagates NaN, so that a divergence shows", "[autograd][special]") {
  for (const Dtype dtype : {Dtype::f32, Dtype::f64}) {
    const Tensor x = gradus::full({19}, not_a_number, dtype), one = ones({19}, dtype);
    for (const Tensor& y : {x + one,
                            x - one,
                            x * one,
                            x / one,
                            one / x,
                            -x,
                            exp(x),
                            log(x),
                            tanh(x),
                            sigmoid(x),
                            relu(x),
                            sqrt(x),
                            softplus(x),
                            abs(x),
                            clamp(x, -1, 1),
                            pow(x, 2),
                            pow(x, one),
                            pow(one * 2.0, x),
                            maximum(x, one),
                            maximum(one, x),
                            minimum(x, one),
                            minimum(one, x),
                            sum(x),
                            mean(x),
                            variance(x),
                            max(x),
                            min(x),
                            logsumexp(x),
                            cumsum(x, 0),
                            layer_norm(x),
                            mse(x, one),
                            binary_cross_entropy(x, one),
                            softmax(x),
                            log_softmax(x),
                            cross_entropy(x, gradus::full({}, 3, Dtype::i64)),
                            matmul(x.reshape({1, 19}), one.reshape({19, 1}))}) {
      CHECK(all_nan(y));
    }
  }
  CHECK(all_nan(softmax(tensor({1, not_a_number, 2}))));
  CHECK(all_nan(log_softmax(tensor({1, 2, not_a_number}))));
  CHECK(all_nan(sum(tensor({1, not_a_number, 2}))));
}

TEST_CASE("log and division return infinity at their poles", "[autograd][special]") {
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

TEST_CASE("comparisons with NaN are false, except not_equal", "[autograd][special]") {
  const Tensor a = tensor({1, 2, 2, not_a_number, 1, not_a_number});
  const Tensor b = tensor({2, 1, 2, 1, not_a_number, not_a_number});
  CHECK(greater(a, b).to_vector<std::int64_t>() == Ids{0, 1, 0, 0, 0, 0});
  CHECK(greater_equal(a, b).to_vector<std::int64_t>() == Ids{0, 1, 1, 0, 0, 0});
  CHECK(less(a, b).to_vector<std::int64_t>() == Ids{1, 0, 0, 0, 0, 0});
  CHECK(less_equal(a, b).to_vector<std::int64_t>() == Ids{1, 0, 1, 0, 0, 0});
  CHECK(equal(a, b).to_vector<std::int64_t>() == Ids{0, 0, 1, 0, 0, 0});
  CHECK(not_equal(a, b).to_vector<std::int64_t>() == Ids{1, 1, 0, 1, 1, 1});
}

TEST_CASE("argmax returns the first of equal maxima and counts NaN as the largest", "[autograd][special]") {
  CHECK(argmax(tensor({2, 7, 7, 1})).item() == 1);
  CHECK(argmax(tensor({-infinity, -infinity})).item() == 0);
  CHECK(argmax(tensor({1, not_a_number, 9, not_a_number})).item() == 1);
  CHECK(argmax(tensor({not_a_number, 9})).item() == 0);
  CHECK(argmax(tensor({{3, 4}, {4, 3}, {5, 5}})).to_vector<std::int64_t>() == Ids{1, 0, 0});
}

TEST_CASE("where() gives elements that are not selected gradient 0", "[autograd][special]") {
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

TEST_CASE("cross-entropy is infinite if a class with nonzero target probability has logit -inf",
          "[autograd][special]") {
  for (const Dtype dtype : {Dtype::f32, Dtype::f64}) {
    const Tensor logits = tensor({{1, -infinity, 2}, {-infinity, 0, 1}}, dtype);
    for (const double smoothing : {0.0, 0.1, 1.0}) {
      for (const auto& ids : {Ids{0, 1}, Ids{1, 0}, Ids{2, -1}}) {
        CAPTURE(name(dtype), smoothing, ids);
        const Tensor targets = tensor(ids), x = leaf(logits);
        double unsmoothed = -1;
        const Tensor loss = cross_entropy(x, targets, -1, smoothing, &unsmoothed);
        CHECK((loss.item() == infinity) == (smoothing > 0 || ids[0] == 1));
        CHECK(unsmoothed == cross_entropy(x, targets).item());
        CHECK_FALSE(std::isnan(loss.item()));

        std::vector<double> gradient;  // (softmax − q) / n, which is finite
        const double n = ids[1] == -1 ? 1 : 2;
        for (std::size_t row = 0; row < 2; ++row) {
          const Tensor p = softmax(logits[static_cast<std::int64_t>(row)]);
          for (std::int64_t k = 0; k < 3; ++k) {
            const double q = smoothing / 3 + (k == ids[row] ? 1 - smoothing : 0);
            gradient.push_back(ids[row] == -1 ? 0 : (p[k].item() - q) / n);
          }
        }
        CHECK(difference(grad({loss}, {x})[0].to_vector<double>(), gradient, 1e-6) == "");

        // The same loss by log_softmax, nll and mean. Terms of weight 0 are omitted, because 0 · ∞ = NaN.
        const Tensor log_p = log_softmax(x), read = log_p.slice(0, static_cast<std::int64_t>(n));
        Tensor composed = gradus::zeros({}, dtype);
        if (smoothing < 1) composed = composed + nll(log_p, targets) * (1 - smoothing);
        if (smoothing > 0) composed = composed - mean(read) * smoothing;
        if (loss.item() == infinity) CHECK(composed.item() == infinity);
        if (loss.item() != infinity) CHECK(difference({loss.item()}, {composed.item()}, 1e-6) == "");
        CHECK(difference(grad({composed}, {x})[0].to_vector<double>(), gradient, 1e-6) == "");
      }
    }
  }
}

TEST_CASE("elements beyond a row's length are never read", "[autograd][special]") {
  const Tensor lengths = tensor({1, 0, 2}, Dtype::i64);
  const Tensor x = leaf(tensor({{1, not_a_number}, {not_a_number, infinity}, {3, 3}}));
  const Tensor p = masked_softmax(x, lengths);
  CHECK(p.to_vector<float>() == Floats{1, 0, 0, 0, 0.5F, 0.5F});
  p.backward(tensor({{1, infinity}, {not_a_number, 4}, {5, 7}}));
  CHECK(x.grad().to_vector<float>() == Floats{0, 0, 0, 0, -0.5F, 0.5F});
  CHECK(masked_softmax(tensor({{0, 0}}), Tensor()).to_vector<float>() ==
        Floats{0.5F, 0.5F});  // without lengths, all positions count

  const Tensor values =
      leaf(tensor({{1, not_a_number, 2}, {not_a_number, not_a_number, 3}}).reshape({2, 3, 1}));  // (T, B, D)
  const Tensor context = weighted_sum(p.detach(), values, lengths);
  CHECK(context.to_vector<float>() == Floats{1, 0, 2.5F});
  sum(context).backward();
  CHECK(values.grad().to_vector<float>() == Floats{1, 0, 0.5F, 0, 0, 0.5F});
}

TEST_CASE("ignored targets contribute nothing", "[autograd][special]") {
  const Tensor x = leaf(tensor({{not_a_number, not_a_number}, {0, 0}}));
  const Tensor loss = cross_entropy(x, tensor({-1, 1}, Dtype::i64));
  CHECK(difference({loss.item()}, {std::log(2)}, 1e-6) == "");
  loss.backward();
  CHECK(x.grad().to_vector<float>() == Floats{0, 0, 0.5F, -0.5F});
  CHECK(cross_entropy(x, tensor({-1, -1}, Dtype::i64)).item() == 0);
}

TEST_CASE("dropout draws once, keeps the mean, and does nothing with probability 0", "[autograd][special]") {
  Generator generator(1);
  const Tensor x = ones({100, 100});
  CHECK(dropout(x, 0, generator).is(x));
  CHECK(generator.state().position == 0);
  CHECK(std::abs(mean(dropout(x, 0.25, generator)).item() - 1) < 0.025);  // 0.025 is four standard errors
  CHECK(generator.state().position == 1);
  Tensor dropped = dropout(leaf(ones({2})), 0.5, generator);
  CHECK_ERROR(
      dropped.set_requires_grad(),
      "set_requires_grad: this (2) is the result of 'dropout'; only a leaf can be switched; use detach()");
  CHECK_ERROR(dropout(x, not_a_number, generator), "dropout: the probability must be in [0, 1), and is nan");
}

TEST_CASE("a long sum in f32 stays accurate over any axis", "[autograd][special]") {
  constexpr std::int64_t n = 1'000'000;
  const double tenth = static_cast<double>(0.1F);
  const Tensor x = gradus::full({n, 3}, 0.1);
  for (const auto& [y, count] : {std::pair{sum(x, 0)[1], n}, std::pair{sum(x), 3 * n}})
    CHECK(difference({y.item() / static_cast<double>(count)}, {tenth}, 1e-7) == "");
  CHECK(difference({mean(x, 0)[2].item(), variance(x, 0)[0].item()}, {tenth, 0}, 1e-7) == "");
  CHECK(difference({logsumexp(x, 0)[0].item()}, {tenth + std::log(1e6)}, 1e-6) == "");
}

TEST_CASE("the gradient of a broadcast operand stays accurate for many rows", "[autograd][special]") {
  constexpr std::int64_t n = 1'000'000;
  Generator generator(1);
  const Tensor rows = uniform({n, 3}, 0, 1, generator), incoming = uniform({n, 3}, 0, 1, generator);
  // Element j of the gradient of x must be Σ_i incoming_ij · factors_ij. For a scalar x, the sum is over i
  // and j.
  const auto check = [&](const Tensor& y, const Tensor& x, const Tensor& factors) {
    const auto d = incoming.to_vector<double>(), f = factors.to_vector<double>();
    std::vector<double> expected(static_cast<std::size_t>(x.numel())), size = expected;
    for (std::size_t i = 0; i < d.size(); ++i) {
      expected[i % expected.size()] += d[i] * f[i];
      size[i % expected.size()] += std::abs(d[i] * f[i]);
    }
    const auto gradient = grad({y}, {x}, {incoming.reshape(y.shape())})[0].to_vector<double>();
    for (std::size_t j = 0; j < expected.size(); ++j)
      CHECK(std::abs(gradient[j] - expected[j]) < 2e-6 * size[j]);
  };
  const Tensor row = leaf(ones({3})), scalar = leaf(ones({})), bias = leaf(ones({3})),
               ones_nx3 = ones({n, 3});
  check(rows + row, row, ones_nx3);
  check(rows * row, row, rows);
  check(rows + scalar, scalar, ones_nx3);
  check(expand(row, {n, 3}), row, ones_nx3);
  check(expand(row, {1000, 1000, 3}), row, ones_nx3);
  check(linear(rows, ones({3, 3}), bias), bias, ones_nx3);
  check(layer_norm(rows, row, bias), bias, ones_nx3);
  check(layer_norm(rows, row, bias), row, layer_norm(rows, {}, {}));
}

TEST_CASE("the gradient of a recurrence's bias stays accurate for many rows", "[autograd][special]") {
  constexpr std::int64_t n = 100'000;  // sequences of length 1
  const Packing packing(gradus::full({n}, 1, Dtype::i64));
  Generator generator(1);
  const Tensor bias = leaf(gradus::zeros({3})), incoming = uniform({n, 1}, 0, 1, generator);
  const Tensor states = recurrent_sequence(gradus::GatedCell::gru, gradus::zeros({n, 3}),
                                           gradus::zeros({3, 1}), bias, {gradus::zeros({n, 1})}, packing)
                            .states;
  // h′ = (1 − z)·tanh(r·b_n) with r = z = ½, so ∂h′/∂b_n = ¼.
  double expected = 0;
  for (const double d : incoming.to_vector<double>()) expected += d / 4;
  CHECK(std::abs(grad({states}, {bias}, {incoming})[0].to_vector<double>()[2] / expected - 1) < 2e-6);
}

TEST_CASE("a long cumulative sum in f32 and its gradient stay accurate", "[autograd][special]") {
  constexpr std::int64_t n = 3'000'000;
  const Tensor x = leaf(gradus::full({n, 1}, 0.1));
  const Tensor y = cumsum(x, 0);
  y.backward(x.detach());
  for (const std::int64_t i : {n / 3, n - 1}) {
    const double sum = static_cast<double>(0.1F) * static_cast<double>(i + 1);
    CHECK(std::abs(y[i].item() / sum - 1) < 1e-7);
    CHECK(std::abs(x.grad()[n - 1 - i].item() / sum - 1) < 1e-7);
  }
}

TEST_CASE("binary cross-entropy stays accurate for confident correct logits", "[autograd][special]") {
  for (const double logit : {10.0, 15.0, 30.0}) {
    const double loss = binary_cross_entropy(tensor({logit}), ones({1})).item();
    CHECK(std::abs(loss / std::log1p(std::exp(-logit)) - 1) < 1e-5);
  }
}

TEST_CASE("max has gradient NaN, relu 1 and clamp 0 where the input is NaN", "[autograd][special]") {
  const Tensor x = leaf(tensor({1, not_a_number, 3}));
  CHECK(all_nan(grad({max(x)}, {x})[0]));
  CHECK(grad({sum(relu(x))}, {x})[0].to_vector<float>() == Floats{1, 1, 1});
  CHECK(grad({sum(clamp(x, 0, 2))}, {x})[0].to_vector<float>() == Floats{1, 0, 0});
}

TEST_CASE("a size that overflows 64 bits is rejected before allocating", "[autograd][special]") {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  CHECK_ERROR(pad(ones({4}), 0, most, most),
              "pad: 9223372036854775807 and 9223372036854775807 more elements cannot be counted in 64 bits");
  CHECK_ERROR(split(ones({4}), {most, most}, 0), "split: the parts cannot be counted in 64 bits");
  CHECK_ERROR(concat(std::vector(64, ones({std::int64_t{1} << 58, 0})), 0),
              "concat: the parts cannot be counted in 64 bits");
}

TEST_CASE("filling an i64 tensor with a non-integer is an error", "[autograd][special]") {
  const Tensor ids = gradus::arange(3);
  CHECK_ERROR(masked_fill(ids, ids, 0.5), "full: 0.5 is not a 64-bit integer; choose f32 or f64");
  CHECK_ERROR(pad(ids, 0, 1, 0, -infinity), "full: -inf is not a 64-bit integer; choose f32 or f64");
}

TEST_CASE("attention does not read NaN beyond the lengths, fused or composed", "[autograd][special]") {
  using Inputs = std::vector<Tensor>;
  const Tensor lengths = tensor(std::vector<std::int64_t>{2, 1});
  const Tensor ids = gradus::arange(3).reshape({3, 1});
  const Tensor beyond = greater_equal(ids, lengths);  // (T, B)
  const gradus::Packing packing(1, 2);
  for (const bool additive : {true, false}) {
    const auto attend = [&](const Inputs& x) {
      const Tensor& query = x[0];
      gradus::AttentionDecoder decoder;
      decoder.layers = {{.weight_ih = gradus::ones({6, 4}),
                         .weight_hh = gradus::ones({6, 2}),
                         .bias_ih = Tensor(),
                         .bias_hh = Tensor()}};
      if (additive) {
        decoder.score.W_a = gradus::ones({2, 2});
        decoder.score.v_a = gradus::ones({2});
      }
      return sum(additive_energy(query, x[1], gradus::ones({2}), lengths)) +
             sum(weighted_sum(x[3], x[2], lengths)) +
             sum(attention_sequence(query, {query}, x[1], x[2], lengths, decoder, packing));
    };
    const auto gradients = [&](double padding) {
      const Tensor states = masked_fill(gradus::ones({3, 2, 2}), unsqueeze(beyond, 2), padding);
      const Tensor weights = masked_fill(gradus::ones({2, 3}), transpose(beyond, 0, 1), padding);
      const Inputs x{leaf(gradus::ones({2, 2})), leaf(states), leaf(states), leaf(weights)};
      attend(x).backward();
      std::vector<Floats> all;
      for (const Tensor& input : x) all.push_back(input.grad().to_vector<float>());
      return all;
    };
    CHECK(gradients(not_a_number) == gradients(0));
    const gradus::Composed composed;
    CHECK(gradients(not_a_number) == gradients(0));
    CHECK(gradients(infinity) == gradients(0));
  }
}
