#pragma once

#include <gradus/autograd/composed.hpp>
#include <gradus/autograd/gradcheck.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/precision.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/autograd/tensor.hpp>
#include <gradus/nn/module.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "autograd/helpers.hpp"

using Ids = std::vector<std::int64_t>;

/// A tensor (n) of i64 numbers.
inline gradus::Tensor integers(const Ids& values) { return gradus::tensor(values, {std::ssize(values)}); }

/// 1 where t < lengths[b], otherwise 0: (T, B), i64.
inline gradus::Tensor real_steps(const gradus::Tensor& lengths, std::int64_t T) {
  return greater(lengths.reshape({1, -1}), gradus::arange(T).reshape({T, 1}));
}

/// x (T, B, ·) with zeros in the padding.
inline gradus::Tensor only_real(const gradus::Tensor& x, const gradus::Tensor& lengths) {
  return x * real_steps(lengths, x.size(0)).to(x.dtype()).reshape({x.size(0), x.size(1), 1});
}
/// x (T, B, ·) with zeros at the real positions.
inline gradus::Tensor only_padding(const gradus::Tensor& x, const gradus::Tensor& lengths) {
  return x - only_real(x, lengths);
}

/// x (T, B, ·) with large numbers beyond the lengths, and with `more` extra steps of such numbers.
inline gradus::Tensor with_garbage(const gradus::Tensor& x, const gradus::Tensor& lengths,
                                   std::int64_t more = 0) {
  const auto garbage = [&](const gradus::Shape& shape) { return gradus::full(shape, 1e3, x.dtype()); };
  return gradus::concat(
      {only_real(x, lengths) + only_padding(garbage(x.shape()), lengths), garbage(x.shape().with(0, more))},
      0);
}

/// Runs the rest of the test twice: first with fused, then with composed operations.
class FusedAndComposed {
 public:
  FusedAndComposed() {
    if (GENERATE(false, true)) composed_.emplace();
  }

 private:
  std::optional<gradus::Composed> composed_;
};

/// Random numbers from N(0, 1), in f64.
inline gradus::Tensor random(const gradus::Shape& shape, gradus::Generator& generator) {
  return gradus::normal(shape, 0, 1, generator, gradus::Dtype::f64);
}

/// Allowed difference: |actual − expected| ≤ absolute + relative · max|expected|. The maximum is over the
/// finite elements; infinite elements must be equal.
struct Tolerance {
  double absolute, relative;
};

/// A dtype, and the difference allowed in this dtype between two ways to compute the same values.
struct Precision {
  gradus::Dtype dtype;
  Tolerance values, gradients;
};
inline constexpr Precision precisions[] = {{gradus::Dtype::f64, {1e-10, 1e-10}, {1e-10, 1e-10}},
                                           {gradus::Dtype::f32, {1e-6, 1e-5}, {1e-5, 1e-4}}};

/// Tolerance for f64 sums that are added in another order.
inline constexpr Tolerance rounding{1e-13, 1e-13};
inline constexpr Tolerance exactly{0, 0};

/// Compares two tensors. Returns a description of the first difference, or an empty text. NaN always differs.
inline std::string mismatch(const gradus::Tensor& actual, const gradus::Tensor& expected,
                            Tolerance tolerance = exactly) {
  std::ostringstream text;
  text.precision(17);
  if (!actual.defined() || !expected.defined()) {
    if (actual.defined() != expected.defined()) text << (actual.defined() ? "defined" : "undefined");
    return text.str();
  }
  if (actual.shape() != expected.shape()) {
    text << "shape " << actual.shape() << ", expected " << expected.shape();
    return text.str();
  }
  const auto got = actual.to_vector<double>(), want = expected.to_vector<double>();
  double largest = 0;
  for (const double x : want) {
    if (std::isfinite(x)) largest = std::max(largest, std::abs(x));
  }
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (is_close(got[i], want[i], tolerance.absolute + tolerance.relative * largest)) continue;
    text << "element " << i << " of " << actual.shape() << " is " << got[i] << ", expected " << want[i];
    break;
  }
  return text.str();
}

/// Checks that a gradient check passed, and that it covered `tensors` tensors. Each must have a gradient that
/// is not all zeros.
inline void check_gradients(const gradus::GradcheckReport& report, std::size_t tensors) {
  INFO(report);
  CHECK(report.passed());
  CHECK(report.entries.size() == tensors);
  for (const gradus::GradcheckEntry& entry : report.entries) {
    INFO(entry.name);
    CHECK_FALSE(entry.all_zero);
  }
}

/// A copy of the parameters' current values, bit for bit.
inline std::vector<std::vector<double>> snapshot(const gradus::nn::Module& module) {
  std::vector<std::vector<double>> values;
  for (const gradus::Tensor& parameter : module.parameters()) values.push_back(parameter.to_vector<double>());
  return values;
}

/// Sets elements [begin, end) of a parameter to `value`.
inline void overwrite(gradus::Tensor parameter, std::int64_t begin, std::int64_t end, double value) {
  for (std::int64_t i = begin; i < end; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (parameter.dtype() == gradus::Dtype::f32) {
      parameter.mutable_values<float>("test")[at] = static_cast<float>(value);
    } else {
      parameter.mutable_values<double>("test")[at] = value;
    }
  }
}
inline void overwrite(const gradus::Tensor& parameter, double value) {
  overwrite(parameter, 0, parameter.numel(), value);
}
