// The functions of kernels/math.hpp. In f32, the errors of the transcendental functions must be within the
// bounds stated there.

#include "kernels/math.hpp"

#include <gradus/autograd/random.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "autograd/helpers.hpp"

namespace math = gradus::math;

namespace {

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

// The error of `value` in ulps. An ulp is the distance between neighbouring floats near `exact`.
double ulps(float value, double exact) {
  int exponent = 0;
  std::frexp(exact, &exponent);
  return std::abs(value - exact) / std::ldexp(1.0, std::max(exponent, -125) - 24);
}

// The largest error in [low, high]. Tests every 4093rd float, in the order of the bit patterns, and a million
// evenly spaced numbers.
template <class Function, class Exact>
double largest_error(float low, float high, Function f, Exact exact) {
  double largest = 0;
  const auto look_at = [&](float x) {
    if (!(x >= low && x <= high)) return;
    const double error = ulps(f(x), exact(static_cast<double>(x)));
    if (!(error <= largest)) largest = std::isnan(error) ? infinity : error;
  };
  for (std::uint64_t pattern = 0; pattern <= 0xFFFFFFFF; pattern += 4'093) {
    look_at(std::bit_cast<float>(static_cast<std::uint32_t>(pattern)));
  }
  constexpr int steps = 1'000'000;
  for (int i = 0; i <= steps; ++i) look_at(low + (high - low) * static_cast<float>(i) / steps);
  return largest;
}

}  // namespace

constexpr float largest = std::numeric_limits<float>::max();

TEST_CASE("exp is within 1.3 units in the last place", "[autograd][math]") {
  CHECK(largest_error(
            -87.3F, 88.3F, [](float x) { return math::exp(x); }, [](double x) { return std::exp(x); }) <=
        1.3);
  CHECK(math::exp(0.0F) == 1);
}

TEST_CASE("tanh is within 3.5 units in the last place", "[autograd][math]") {
  CHECK(largest_error(
            -largest, largest, [](float x) { return math::tanh(x); },
            [](double x) { return std::tanh(x); }) <= 3.5);
  CHECK(math::tanh(0.0F) == 0);
}

TEST_CASE("sigmoid is within 2.6 units in the last place", "[autograd][math]") {
  CHECK(largest_error(
            -87.3F, largest, [](float x) { return math::sigmoid(x); },
            [](double x) { return 1 / (1 + std::exp(-x)); }) <= 2.6);
  CHECK(math::sigmoid(0.0F) == 0.5F);
}

TEST_CASE("softplus is within 3 units in the last place", "[autograd][math]") {
  CHECK(largest_error(
            -87.3F, largest, [](float x) { return math::softplus(x); },
            [](double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }) <= 3);
}

TEST_CASE("beyond their range the functions return their limits", "[autograd][math]") {
  for (const float x : {90.0F, 1e10F, infinity}) {
    CHECK(math::exp(x) == infinity);
    CHECK(math::exp(-x) == 0);
    CHECK(math::tanh(x) == 1);
    CHECK(math::tanh(-x) == -1);
    CHECK(math::sigmoid(x) == 1);
    CHECK(math::sigmoid(-x) == 0);
    CHECK(math::softplus(x) == x);
    CHECK(math::softplus(-x) == 0);
  }
}

TEST_CASE("where e^x is subnormal, exp is accurate or 0", "[autograd][math]") {
  for (float x = -87.0F; x > -104; x -= 0.01F) {
    CAPTURE(x);
    const double exact = std::exp(static_cast<double>(x));
    CHECK(std::abs(math::exp(x) - exact) <= std::max(1.3e-7 * exact, 9.1e-39));
  }
}

TEST_CASE("the functions propagate NaN, so that a divergence shows", "[autograd][math]") {
  std::vector<float> values(19, not_a_number);  // fills whole vectors, and leaves a remainder
  for (float& value : values) value = math::exp(value);
  for (const float value : values) CHECK(std::isnan(value));
  for (float& value : values) value = math::tanh(not_a_number * value);
  for (const float value : values) CHECK(std::isnan(value));
  for (float& value : values) value = math::sigmoid(-value);
  for (const float value : values) CHECK(std::isnan(value));
  for (float& value : values) value = math::softplus(-value);
  for (const float value : values) CHECK(std::isnan(value));
}

TEST_CASE("in f64 the functions equal the standard library's", "[autograd][math]") {
  for (const double x : {-700.0, -1.5, 0.0, 1e-300, 0.3, 700.0}) {
    CHECK(math::exp(x) == std::exp(x));
    CHECK(math::tanh(x) == std::tanh(x));
    CHECK(math::sigmoid(x) == 1 / (1 + std::exp(-x)));
    CHECK(math::softplus(x) == std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))));
  }
}

TEST_CASE("sum_of adds every term once, with an error that grows with n/16", "[autograd][math]") {
  gradus::Generator generator(1);
  for (const std::int64_t n : {0, 1, 2, 15, 16, 17, 31, 32, 33, 1000, 100'003}) {
    CAPTURE(n);
    std::vector<float> terms(static_cast<std::size_t>(n));
    long double exact = 0, absolute = 0;
    for (float& term : terms) {
      term = static_cast<float>(1 + generator.uniform());
      exact += term;
      absolute += std::abs(term);
    }
    const auto term = [&](std::int64_t i) { return terms[static_cast<std::size_t>(i)]; };
    const auto bound = static_cast<double>(absolute) * std::numeric_limits<float>::epsilon() / 2 *
                       (static_cast<double>(n) / 16 + 32);
    CHECK(std::abs(math::sum_of<float>(n, term) - static_cast<double>(exact)) <= bound);
    CHECK(math::sum_of<std::int64_t>(n, [](std::int64_t i) { return i; }) == n * (n - 1) / 2);
  }
}

TEST_CASE("max_of finds the largest value at any position and ignores NaN", "[autograd][math]") {
  CHECK(math::max_of<float>(0, nullptr) == -infinity);
  for (const std::int64_t n : {1, 2, 15, 16, 17, 33, 100}) {
    for (std::int64_t at = 0; at < n; ++at) {
      CAPTURE(n, at);
      std::vector<float> values(static_cast<std::size_t>(n), -7);
      values[static_cast<std::size_t>(at)] = -3;
      CHECK(math::max_of(n, values.data()) == -3);
      if (n == 1) continue;
      values[static_cast<std::size_t>(at)] = not_a_number;
      CHECK(math::max_of(n, values.data()) == -7);
    }
  }
}
