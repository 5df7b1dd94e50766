#include "products/packed_matrix.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "autograd/helpers.hpp"
#include "autograd/products/plain_product.hpp"

using gradus::Layout;
using gradus::PackedMatrix;
using gradus::Rows;

namespace {

template <class T>
std::vector<T> random_numbers(std::int64_t count, std::mt19937& generator) {
  std::uniform_real_distribution<double> values(-1, 1);
  std::vector<T> x(static_cast<std::size_t>(count));
  for (T& value : x) value = static_cast<T>(values(generator));
  return x;
}

struct Sizes {
  std::int64_t m, n, k;
};

// The largest difference between a product with packed B and the same product by three loops. The rows of A,
// B and C have gaps.
template <class T>
double difference(const Sizes& sizes, Layout layout, T beta) {
  const auto [m, n, k] = sizes;
  const std::int64_t a_stride = k + 3, b_stride = (layout == Layout::plain ? n : k) + 2, c_stride = n + 1;
  std::mt19937 generator(1);
  const auto a = random_numbers<T>(m * a_stride, generator);
  const auto b = random_numbers<T>((layout == Layout::plain ? k : n) * b_stride, generator);
  const auto before = random_numbers<T>(m * c_stride, generator);
  const PackedMatrix<T> B(layout, k, n, {b.data(), b_stride});
  const std::vector<double> product =
      plain_product(m, n, k, rows_of(a, Layout::plain, m, k, a_stride), rows_of(b, layout, k, n, b_stride));
  double largest = 0;
  for (int time = 0; time < 2; ++time) {
    auto c = before;
    for (std::int64_t i = 0; beta == 0 && i < m; ++i) {  // C must not be read
      for (std::int64_t j = 0; j < n; ++j) {
        c[static_cast<std::size_t>(i * c_stride + j)] = std::numeric_limits<T>::quiet_NaN();
      }
    }
    const Rows<T> rows_of_c{c.data(), c_stride};
    B.multiply(m, {a.data(), a_stride}, {beta, rows_of_c}, rows_of_c);
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < c_stride; ++j) {
        const auto at = static_cast<std::size_t>(i * c_stride + j);
        const double expected = j < n ? beta * before[at] + product[static_cast<std::size_t>(i * n + j)]
                                      : before[at];  // columns from n on must not change
        const double off = std::abs(expected - c[at]);
        largest = std::isnan(largest) || off <= largest ? largest : off;  // once NaN, always NaN
      }
    }
  }
  return largest;
}

}  // namespace

TEST_CASE("products with a packed matrix match three loops, also when it is reused", "[autograd][gemm]") {
  const std::vector<Sizes> sizes = {{1, 1, 1},  {2, 16, 7},   {4, 48, 30},    {5, 33, 65},
                                    {8, 97, 9}, {13, 5, 800}, {21, 150, 769}, {3, 0, 4},
                                    {0, 5, 4},  {2, 3, 0},    {70, 100, 1537}};
  for (const auto& size : sizes) {
    for (const Layout layout : {Layout::plain, Layout::transposed}) {
      for (const double beta : {0.0, 1.0, -0.5}) {
        CAPTURE(size.m, size.n, size.k, layout == Layout::transposed, beta);
        CHECK(difference<float>(size, layout, static_cast<float>(beta)) < 1e-4);
        CHECK(difference<double>(size, layout, beta) < 1e-12);
      }
    }
  }
}
