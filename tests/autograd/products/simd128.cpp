// The products of WebAssembly builds, compiled for this machine and compared with plain loops.

#include "web/wasi/simd128.hpp"

#include <gradus/autograd/random.hpp>

#include <array>
#include <limits>
#include <vector>

#include "autograd/helpers.hpp"

using gradus::Generator;
using gradus::Layout;

namespace {

template <class T>
struct Matrix {
  std::int64_t stride;
  std::vector<T> values;

  // A random matrix with NaN after each row. The product must not read the NaN.
  Matrix(std::int64_t rows, std::int64_t columns, Generator& generator) : stride(columns + 3) {
    for (std::int64_t i = 0; i < rows * stride; ++i) {
      values.push_back(i % stride < columns ? static_cast<T>(generator.normal())
                                            : std::numeric_limits<T>::quiet_NaN());
    }
  }
  double at(std::int64_t row, std::int64_t column) const {
    return values[static_cast<std::size_t>(row * stride + column)];
  }
  operator gradus::Rows<const T>() const { return {values.data(), stride}; }
};

// Compares a product with plain loops. Returns a description of the first difference, or an empty text. With
// `bias`, the addend has only one row, which is added to every row of the product.
template <class T>
std::string wrong(std::array<std::int64_t, 3> size, Layout a_layout, Layout b_layout, T beta, bool bias) {
  const auto [m, n, k] = size;
  Generator generator(1);
  const bool a_plain = a_layout == Layout::plain, b_plain = b_layout == Layout::plain;
  const Matrix<T> a(a_plain ? m : k, a_plain ? k : m, generator),
      b(b_plain ? k : n, b_plain ? n : k, generator), d(bias ? 1 : m, n, generator);
  Matrix<T> c(m, n, generator);
  gradus::Addend<T> addend{beta, d};
  if (bias) addend.d.stride = 0;
  if (beta == T(0)) addend.d = {};
  gradus::simd128::multiply(
      gradus::Product<T>{a_layout, b_layout, m, n, k, a, b, addend, {c.values.data(), c.stride}});
  std::vector<double> found, expected;
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      double sum = beta == T(0) ? 0 : beta * d.at(bias ? 0 : i, j);
      for (std::int64_t l = 0; l < k; ++l)
        sum += (a_plain ? a.at(i, l) : a.at(l, i)) * (b_plain ? b.at(l, j) : b.at(j, l));
      expected.push_back(sum);
      found.push_back(c.at(i, j));
    }
    for (std::int64_t gap = n; gap < c.stride; ++gap) {
      if (c.at(i, gap) == c.at(i, gap)) return "the gap after a row was written to";
    }
  }
  return difference(found, expected, sizeof(T) == 4 ? 1e-4 : 1e-12);
}

template <class T>
void check_all() {
  for (const std::int64_t m : {1, 2, 3, 4, 7, 9}) {
    for (const std::int64_t n : {1, 3, 4, 7, 8, 17}) {
      for (const std::int64_t k : {1, 3, 4, 9}) {
        for (const Layout a : {Layout::plain, Layout::transposed}) {
          for (const Layout b : {Layout::plain, Layout::transposed}) {
            for (const T beta : {T(0), T(1), T(0.5)}) {
              INFO(m << " × " << n << " × " << k << ", beta " << beta);
              CHECK(wrong<T>({m, n, k}, a, b, beta, false).empty());
              CHECK(wrong<T>({m, n, k}, a, b, beta, true).empty());
            }
          }
        }
      }
    }
  }
}

}  // namespace

TEST_CASE("simd128: products of all small sizes, layouts and addends") {
  check_all<float>();
  check_all<double>();
}

TEST_CASE("simd128: products larger than the packed part of B") {
  for (const Layout b : {Layout::plain, Layout::transposed}) {
    CHECK(wrong<float>({5, 700, 600}, Layout::plain, b, 0.5F, false).empty());
    CHECK(wrong<double>({6, 513, 257}, Layout::transposed, b, 1, true).empty());
  }
}

TEST_CASE("simd128: the addend may be the result") {
  Generator generator(2);
  const Matrix<float> a(6, 300, generator), b(300, 10, generator);
  Matrix<float> c(6, 10, generator);
  const Matrix<float> before = c;
  gradus::simd128::multiply(gradus::Product<float>{
      Layout::plain, Layout::plain, 6, 10, 300, a, b, {2, c}, {c.values.data(), c.stride}});
  for (std::int64_t i = 0; i < 6; ++i) {
    for (std::int64_t j = 0; j < 10; ++j) {
      double sum = 2 * before.at(i, j);
      for (std::int64_t l = 0; l < 300; ++l) sum += a.at(i, l) * b.at(l, j);
      CHECK(std::abs(c.at(i, j) - sum) < 1e-4);
    }
  }
}
