// Large f32 products. Each element must depend only on its own row of A and column of B, c_ij = Σ_l a_il
// b_lj, whichever library computes the product.

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "autograd/helpers.hpp"
#include "products/blas.hpp"

using gradus::gemm;
using gradus::Generator;
using gradus::Layout;

namespace {

struct Operands {
  std::int64_t m, k, n;
  std::vector<float> a, b;  // (m, k) and (k, n)

  Operands(const std::array<std::int64_t, 3>& size, std::uint64_t seed)
      : m(size[0]), k(size[1]), n(size[2]), a(numel(m, k)), b(numel(k, n)) {
    Generator generator(seed);
    for (float& x : a) x = static_cast<float>(generator.normal());
    for (float& x : b) x = static_cast<float>(generator.normal());
  }

  static std::size_t numel(std::int64_t rows, std::int64_t columns) {
    return static_cast<std::size_t>(rows * columns);
  }
  float& at_a(std::int64_t i, std::int64_t l) { return a[static_cast<std::size_t>(i * k + l)]; }
  float& at_b(std::int64_t l, std::int64_t j) { return b[static_cast<std::size_t>(l * n + j)]; }

  std::vector<float> product() const {
    std::vector<float> c(numel(m, n), std::numeric_limits<float>::quiet_NaN());
    gemm<float>(Layout::plain, Layout::plain, m, n, k, a.data(), b.data(), 0, c.data());
    return c;
  }
  std::vector<float> product_by_openblas() const {
    std::vector<float> c(numel(m, n));
    gradus::blas::multiply(gradus::Product<float>{
        Layout::plain, Layout::plain, m, n, k, {a.data(), k}, {b.data(), n}, {}, {c.data(), n}});
    return c;
  }
  std::vector<double> product_in_double() const {
    const std::vector<double> x(a.begin(), a.end()), y(b.begin(), b.end());
    std::vector<double> c(numel(m, n));
    gemm<double>(Layout::plain, Layout::plain, m, n, k, x.data(), y.data(), 0, c.data());
    return c;
  }
  // The largest error in c, relative to the largest exact number in the same row. NaN counts as an infinite
  // error, and so does any error in a row whose exact numbers are all 0.
  double error(const std::vector<float>& c, const std::vector<double>& exact) const {
    double worst = 0;
    for (std::int64_t i = 0; i < m; ++i) {
      double error = 0, largest = 0;
      for (auto at = static_cast<std::size_t>(i * n); at < static_cast<std::size_t>((i + 1) * n); ++at) {
        const double off = std::abs(c[at] - exact[at]);
        error = off <= error ? error : std::isnan(off) ? std::numeric_limits<double>::infinity() : off;
        largest = std::max(largest, std::abs(exact[at]));
      }
      if (error > 0) worst = std::max(worst, error / largest);
    }
    return worst;
  }
};

const std::vector<std::array<std::int64_t, 3>> sizes = {{3000, 2000, 2500}, {3000, 2500, 3000}};

}  // namespace

TEST_CASE("a large product is as accurate as a conventional one, however its data are scaled",
          "[autograd][gemm][long]") {
  Generator generator(1);
  const auto power = [&](double exponent) {
    return static_cast<float>(std::pow(10, exponent * (2 * generator.uniform() - 1)));
  };
  const auto scale_features = [&](Operands& x) {  // multiplies column l of A, divides row l of B
    for (std::int64_t l = 0; l < x.k; ++l) {
      const float scale = power(2);
      for (std::int64_t i = 0; i < x.m; ++i) x.at_a(i, l) *= scale;
      for (std::int64_t j = 0; j < x.n; ++j) x.at_b(l, j) /= scale;
    }
  };
  const auto scale_rows = [&](Operands& x) {
    for (std::int64_t i = 0; i < x.m; ++i) {
      const float scale = power(6);
      for (std::int64_t l = 0; l < x.k; ++l) x.at_a(i, l) *= scale;
    }
  };
  const std::vector<std::function<void(Operands&)>> scalings = {[](Operands&) {}, scale_features, scale_rows};
  for (const auto& size : sizes) {
    for (std::size_t scaling = 0; scaling < scalings.size(); ++scaling) {
      CAPTURE(size, scaling);
      Operands x(size, 1);
      scalings[scaling](x);
      const std::vector<double> exact = x.product_in_double();
      CHECK(x.error(x.product(), exact) <= 2 * x.error(x.product_by_openblas(), exact));
    }
  }
}

TEST_CASE("zero rows of a large product are exactly 0, and NaN and infinity stay in their row and column",
          "[autograd][gemm][long]") {
  constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  for (const auto& size : sizes) {
    Operands x(size, 2);
    const auto is_zero_row = [](std::int64_t i) { return i % 4 == 1; };
    for (std::int64_t i = 0; i < x.m; ++i) {
      for (std::int64_t l = 0; is_zero_row(i) && l < x.k; ++l) x.at_a(i, l) = 0;
    }
    x.at_a(6, 5) = nan;
    x.at_a(x.m - 1, 17) = inf;
    x.at_b(9, 10) = -inf;
    // Row 3 of B is small, so that its products with 3e38 stay finite.
    for (std::int64_t i = 0; i < 3; ++i) x.at_a(4 * i, 3) = 3e38F;
    for (std::int64_t j = 0; j < x.n; ++j) x.at_b(3, j) *= 1e-3F;
    const std::vector<float> c = x.product();
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < x.m; ++i) {
      for (std::int64_t j = 0; j < x.n; ++j) {
        const float value = c[static_cast<std::size_t>(i * x.n + j)];
        const bool spoiled = i == 6 || i == x.m - 1 || j == 10;
        if (!spoiled) wrong += is_zero_row(i) ? value != 0 : !std::isfinite(value);
        if (spoiled) wrong += std::isfinite(value);
      }
    }
    CAPTURE(size);
    CHECK(wrong == 0);
  }
}
