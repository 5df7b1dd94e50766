// gemm() against three plain loops.

#include "products/gemm.hpp"

#include <gradus/autograd/parallel.hpp>
#include <gradus/autograd/random.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "autograd/helpers.hpp"
#include "autograd/products/plain_product.hpp"
#include "products/blas.hpp"

using gradus::gemm;
using gradus::Generator;
using gradus::Layout;

namespace {

template <class T>
std::vector<T> random_matrix(std::int64_t numel, Generator& generator) {
  std::vector<T> values(static_cast<std::size_t>(numel));
  for (T& value : values) value = static_cast<T>(generator.normal());
  return values;
}

struct Product {
  Layout a, b;
  std::int64_t m, n, k;
  std::int64_t gap = 0;  // unused elements between two rows of C
};

// Compares gemm with three loops. Returns a description of the first difference, or an empty text.
template <class T>
std::string wrong(const Product& p, T beta, double tolerance) {
  Generator generator(1);
  const auto a = random_matrix<T>(p.m * p.k, generator);
  const auto b = random_matrix<T>(p.k * p.n, generator);
  auto c = random_matrix<T>(p.m * p.n, generator);
  std::vector<double> expected =
      plain_product(p.m, p.n, p.k, rows_of(a, p.a, p.m, p.k, p.a == Layout::plain ? p.k : p.m),
                    rows_of(b, p.b, p.k, p.n, p.b == Layout::plain ? p.n : p.k));
  for (std::size_t i = 0; i < c.size(); ++i) expected[i] += beta * c[i];
  if (beta == 0) c.assign(c.size(), std::numeric_limits<T>::quiet_NaN());  // gemm must not read C
  if (p.gap == 0) {
    gemm<T>(p.a, p.b, p.m, p.n, p.k, a.data(), b.data(), beta, c.data());
    return difference({c.begin(), c.end()}, expected, tolerance);
  }
  const std::int64_t stride = p.n + p.gap;
  const T untouched = 7;
  std::vector<T> wide(static_cast<std::size_t>(p.m * stride), untouched);
  for (std::int64_t i = 0; i < p.m; ++i) std::copy_n(c.data() + i * p.n, p.n, wide.data() + i * stride);
  gemm<T>(p.a, p.b, p.m, p.n, p.k, {a.data(), p.a == Layout::plain ? p.k : p.m},
          {b.data(), p.b == Layout::plain ? p.n : p.k}, beta, {wide.data(), stride});
  for (std::int64_t i = 0; i < p.m; ++i) {
    std::copy_n(wide.data() + i * stride, p.n, c.data() + i * p.n);
    for (std::int64_t j = p.n; j < stride; ++j) {
      if (wide[static_cast<std::size_t>(i * stride + j)] != untouched) return "the gap was written to";
    }
  }
  return difference({c.begin(), c.end()}, expected, tolerance);
}

}  // namespace

TEST_CASE("gemm matches three loops for every layout and size", "[autograd][gemm]") {
  const std::vector<std::int64_t> sizes = {0, 1, 2, 5, 16, 33};
  for (const Layout a : {Layout::plain, Layout::transposed}) {
    for (const Layout b : {Layout::plain, Layout::transposed}) {
      for (const std::int64_t m : sizes) {
        for (const std::int64_t n : sizes) {
          for (const std::int64_t k : sizes) {
            CAPTURE(a == Layout::transposed, b == Layout::transposed, m, n, k);
            for (const double beta : {0.0, 1.0, -0.5}) {
              CAPTURE(beta);
              REQUIRE(wrong<double>({a, b, m, n, k}, beta, 1e-13) == "");
              REQUIRE(wrong<float>({a, b, m, n, k}, static_cast<float>(beta), 1e-5) == "");
            }
          }
        }
      }
    }
  }
}

TEST_CASE("gemm adds another matrix, or one row to every row", "[autograd][gemm]") {
  Generator generator(1);
  for (const auto& [m, n, k] : std::vector<std::array<std::int64_t, 3>>{
           {1, 40, 30}, {3, 7, 0}, {5, 9, 20}, {9, 100, 800}, {20, 50, 300}, {40, 130, 900}, {200, 5, 30}}) {
    for (const Layout b_layout : {Layout::plain, Layout::transposed}) {
      for (const std::int64_t stride : {std::int64_t{0}, n + 2}) {
        for (const float beta : {0.0F, 1.0F, -0.5F}) {
          CAPTURE(m, n, k, b_layout == Layout::transposed, stride, beta);
          const auto a = random_matrix<float>(m * k, generator), b = random_matrix<float>(k * n, generator);
          const auto d = random_matrix<float>(m * (n + 2), generator);
          std::vector<float> c(static_cast<std::size_t>(m * n), std::numeric_limits<float>::quiet_NaN());
          std::vector<float> product(c.size());
          const auto before = d;
          const gradus::Rows<const float> in_b{b.data(), b_layout == Layout::plain ? n : k};
          gemm<float>(Layout::plain, b_layout, m, n, k, {a.data(), k}, in_b,
                      gradus::Addend<float>{beta, {d.data(), stride}}, {c.data(), n});
          gemm<float>(Layout::plain, b_layout, m, n, k, {a.data(), k}, in_b, 0.0F, {product.data(), n});
          std::vector<double> expected;
          for (std::int64_t i = 0; i < m; ++i) {
            for (std::int64_t j = 0; j < n; ++j) {
              expected.push_back(product[static_cast<std::size_t>(i * n + j)] +
                                 beta * d[static_cast<std::size_t>(i * stride + j)]);
            }
          }
          CHECK(difference({c.begin(), c.end()}, expected, 1e-5) == "");
          CHECK((d == before));
        }
      }
    }
  }
}

TEST_CASE("gemm is right for sizes that are split into blocks and for any number of threads",
          "[autograd][gemm][long]") {
  for (const int count : {1, 2, 3}) {
    const Threads set(count);
    for (const Layout a : {Layout::plain, Layout::transposed}) {
      for (const Layout b : {Layout::plain, Layout::transposed}) {
        for (const std::int64_t gap : {0, 5}) {
          CAPTURE(count, a == Layout::transposed, b == Layout::transposed, gap);
          CHECK(wrong<float>({a, b, 130, 257, 129, gap}, 1, 1e-4) == "");
          CHECK(wrong<double>({a, b, 257, 130, 300, gap}, 0, 1e-12) == "");
          CHECK(wrong<double>({a, b, 1, 5000, 70, gap}, 0, 1e-12) == "");
          CHECK(wrong<float>({a, b, 5000, 3, 70, gap}, -0.5, 1e-4) == "");
        }
      }
    }
  }
}

TEST_CASE("gemm is right for a few rows times a weight matrix", "[autograd][gemm]") {
  for (const std::int64_t k : {127, 128, 143}) {
    for (const std::int64_t n : {6, 25, 301}) {
      for (const std::int64_t m : {2, 3, 4, 5, 65, 128, 129}) {
        CAPTURE(m, n, k);
        const double beta = m % 2 == 1 ? 0 : m % 4 == 2 ? 1 : -0.5;
        const Product product = {Layout::plain, Layout::transposed, m, n, k, k % 2};
        REQUIRE(wrong<float>(product, static_cast<float>(beta), 1e-4) == "");
        if (n < 100) REQUIRE(wrong<double>(product, beta, 1e-12) == "");
      }
    }
  }
  // B is large. In builds with oneDNN, the BLAS computes only the product of 17 rows with a transposed B.
  for (const Layout b : {Layout::plain, Layout::transposed}) {
    CHECK(wrong<float>({Layout::plain, b, 17, 1030, 1025, 1}, 1, 1e-4) == "");
    CHECK(wrong<float>({Layout::plain, b, 257, 1030, 1025, 1}, 0, 1e-4) == "");
  }
}

TEST_CASE("gemm is right for sizes that are not multiples of a block", "[autograd][gemm]") {
  const std::vector<std::vector<std::int64_t>> sizes = {{9, 65, 800},  {1350, 17, 21}, {8, 495, 385},
                                                        {33, 48, 768}, {2, 50, 1537},  {15, 8, 35}};
  for (const Layout a : {Layout::plain, Layout::transposed}) {
    for (const Layout b : {Layout::plain, Layout::transposed}) {
      for (const auto& size : sizes) {
        for (const float beta : {0.0F, 1.0F, -0.5F}) {
          CAPTURE(a == Layout::transposed, b == Layout::transposed, size, beta);
          CHECK(wrong<float>({a, b, size[0], size[1], size[2], 3}, beta, 1e-4) == "");
        }
      }
    }
  }
}

TEST_CASE("a product that exceeds the library's largest size is split into parts", "[autograd][gemm]") {
  Generator generator(1);
  for (const std::int64_t most : {1, 3, 7}) {
    for (const auto& [m, n, k] : std::vector<std::array<std::int64_t, 3>>{{8, 5, 20}, {1, 9, 3}, {3, 3, 3}}) {
      for (const Layout layout : {Layout::plain, Layout::transposed}) {
        CAPTURE(most, m, n, k, layout == Layout::transposed);
        const auto a = random_matrix<double>(m * k, generator), b = random_matrix<double>(k * n, generator);
        const auto d = random_matrix<double>(n, generator);
        const bool plain = layout == Layout::plain;
        std::vector<double> c(static_cast<std::size_t>(m * n)), expected(c);
        gradus::Product<double> whole{layout,
                                      layout,
                                      m,
                                      n,
                                      k,
                                      {a.data(), plain ? k : m},
                                      {b.data(), plain ? n : k},
                                      {0.5, {d.data(), 0}},
                                      {c.data(), n}};
        std::int64_t longest = 0;
        gradus::for_parts_within(most, whole, [&](const gradus::Product<double>& part) {
          longest = std::max({longest, part.m, part.n, part.k});
          gradus::blas::multiply(part);
        });
        CHECK(longest <= most);
        whole.c.data = expected.data();
        gradus::blas::multiply(whole);
        CHECK(difference(c, expected, 1e-13) == "");
      }
    }
  }
}

TEST_CASE("a row too long for the library is an error", "[autograd][gemm]") {
  const std::vector<double> x(4, 1.0);
  std::vector<double> y(4);
  CHECK_ERROR(
      gemm<double>(Layout::plain, Layout::plain, 2, 2, 1, {x.data(), std::int64_t{1} << 31}, {x.data(), 2},
                   0.0, {y.data(), 2}),
      "matmul: a matrix has rows of 2147483648 elements, and OpenBLAS takes 2147483647 at most; split the "
      "last axis");
}
