// The one door to the linear algebra library, against three loops.

#include "gemm.hpp"

#include <gradus/autograd/parallel.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/autograd/runtime.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <thread>
#include <tuple>
#include <vector>

#include "helpers.hpp"
#include "kernels/avx512.hpp"

using gradus::ConventionalProducts;
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

// Element (row, column) of a matrix with so many rows and columns as it is used.
template <class T>
double element(const std::vector<T>& matrix, Layout layout, std::int64_t rows, std::int64_t columns,
               std::int64_t row, std::int64_t column) {
  const std::int64_t at = layout == Layout::plain ? row * columns + column : column * rows + row;
  return matrix[static_cast<std::size_t>(at)];
}

struct Product {
  Layout a, b;
  std::int64_t m, n, k;
  std::int64_t gap = 0;  // between two rows of C
};

// Where gemm and the loops differ; empty when they do not.
template <class T>
std::string wrong(const Product& p, T beta, double tolerance) {
  Generator generator(1);
  const auto a = random_matrix<T>(p.m * p.k, generator);
  const auto b = random_matrix<T>(p.k * p.n, generator);
  auto c = random_matrix<T>(p.m * p.n, generator);
  std::vector<double> expected;
  for (std::int64_t i = 0; i < p.m; ++i) {
    for (std::int64_t j = 0; j < p.n; ++j) {
      double sum = beta * c[static_cast<std::size_t>(i * p.n + j)];
      for (std::int64_t l = 0; l < p.k; ++l) {
        sum += element(a, p.a, p.m, p.k, i, l) * element(b, p.b, p.k, p.n, l, j);
      }
      expected.push_back(sum);
    }
  }
  if (beta == 0) c.assign(c.size(), std::numeric_limits<T>::quiet_NaN());  // must not be read
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

TEST_CASE("gemm is three loops, for every layout and size", "[autograd][gemm]") {
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

TEST_CASE("gemm adds what lies elsewhere, a matrix or the same row again and again", "[autograd][gemm]") {
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

TEST_CASE("gemm is right where the library blocks it, and however it is shared out",
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

TEST_CASE("gemm is right for a few rows with a matrix of weights, packed or not", "[autograd][gemm]") {
  // Unpacked they are sums of 16 and of a rest, in tiles of 4 rows by 6 columns, whole and not; of more than
  // k / 8 rows they are packed.
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
}

TEST_CASE("gemm is right for slices, panels and tiles, whole and not", "[autograd][gemm]") {
  // Slices of 768 terms, 1344 rows and 192 columns; tiles of 4 or 8 rows and 16, 32 or 48 columns; B read
  // where it lies, if it is plain and has at most 131072 numbers.
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

TEST_CASE("a row is multiplied to bits that no other row or thread changes", "[autograd][gemm]") {
  if (!gradus::has_avx512_kernels()) return;  // the library makes no such promise; nor do large products
  constexpr std::int64_t n = 301, k = 143;
  Generator generator(1);
  for (const Layout layout : {Layout::plain, Layout::transposed}) {
    for (const std::int64_t m : {16, 150}) {  // unpacked for a few rows and a transposed B, or else packed
      const std::int64_t least = m == 16 ? 2 : 50, b_stride = layout == Layout::plain ? n : k;
      const auto a = random_matrix<float>(m * k, generator), b = random_matrix<float>(n * k, generator);
      std::vector<float> apart(static_cast<std::size_t>(m * n)), together(apart);
      for (std::int64_t i = 0; i < m; i += least) {
        gemm<float>(Layout::plain, layout, least, n, k, {a.data() + i * k, k}, {b.data(), b_stride}, 0,
                    {apart.data() + i * n, n});
      }
      for (const int count : {1, 2, 3}) {
        const Threads set(count);
        CAPTURE(layout == Layout::transposed, m, count);
        gemm<float>(Layout::plain, layout, m, n, k, a.data(), b.data(), 0, together.data());
        CHECK((together == apart));
      }
    }
  }
}

namespace {

// A large product of random numbers. C has a gap after each row, and so has what is added from elsewhere.
struct Large {
  static constexpr std::int64_t gap = 3;
  enum class Adds { nothing, itself, another, row };

  std::int64_t m, n, k;
  std::vector<float> a, b, c, d;
  Layout a_layout = Layout::plain, b_layout = Layout::plain;
  Adds adds = Adds::itself;

  explicit Large(const std::array<std::int64_t, 3>& size) : m(size[0]), n(size[1]), k(size[2]) {
    Generator generator(1);
    a = random_matrix<float>(m * k, generator), b = random_matrix<float>(k * n, generator);
    c = random_matrix<float>(m * (n + gap), generator), d = random_matrix<float>(m * (n + gap), generator);
  }

  // C afterwards.
  std::vector<float> product() const {
    std::vector<float> result = c;
    const gradus::Rows<float> to{result.data(), n + gap};
    gradus::Addend<float> addend{1, to};
    if (adds == Adds::another) addend = {-0.5, {d.data(), n + gap}};
    if (adds == Adds::row) addend = {1, {d.data(), 0}};
    if (adds == Adds::nothing) {
      addend = {};
      constexpr float unread = std::numeric_limits<float>::quiet_NaN();
      for (std::int64_t i = 0; i < m; ++i) std::fill_n(to.data + i * to.stride, n, unread);
    }
    gemm<float>(a_layout, b_layout, m, n, k, {a.data(), a_layout == Layout::plain ? k : m},
                {b.data(), b_layout == Layout::plain ? n : k}, addend, to);
    return result;
  }
  std::vector<float> conventional_product() const {
    const ConventionalProducts guard;
    return product();
  }
  bool leaves_gaps(const std::vector<float>& result) const {
    for (std::int64_t end = n; end < std::ssize(c); end += n + gap) {
      if (!std::equal(c.begin() + end, c.begin() + end + gap, result.begin() + end)) return false;
    }
    return true;
  }
};

double largest_difference(const std::vector<float>& x, const std::vector<float>& y) {
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::isnan(x[i]) || std::isnan(y[i])) return std::numeric_limits<double>::infinity();
    largest = std::max(largest, std::abs(static_cast<double>(x[i]) - y[i]));
  }
  return largest;
}

}  // namespace

TEST_CASE("large products of seven multiplications are those of eight", "[autograd][gemm][long]") {
  // Halves of rows, of columns and of terms that are whole, cut short and empty; more than one slice of 768
  // terms, 1792 rows and 384 columns.
  for (const std::array<std::int64_t, 3>& size : std::vector<std::array<std::int64_t, 3>>{
           {1024, 768, 384}, {1025, 769, 385}, {1055, 863, 1537}, {2689, 770, 387}, {1031, 2110, 401}}) {
    Large large(size);
    for (const Layout a : {Layout::plain, Layout::transposed}) {
      for (const Layout b : {Layout::plain, Layout::transposed}) {
        for (const auto adds :
             {Large::Adds::nothing, Large::Adds::itself, Large::Adds::another, Large::Adds::row}) {
          CAPTURE(a == Layout::transposed, b == Layout::transposed, size, adds);
          large.a_layout = a, large.b_layout = b, large.adds = adds;
          const std::vector<float> result = large.product();
          CHECK(largest_difference(result, large.conventional_product()) < 1e-3);
          CHECK(large.leaves_gaps(result));
        }
      }
    }
  }
}

TEST_CASE("very large products of 49 multiplications are those of 64", "[autograd][gemm][long]") {
  if (!gradus::has_avx512_kernels()) return;  // then all are conventional
  // The same, of quarters; and slices of 2048 terms, 3584 rows and 768 columns.
  constexpr auto plain = Layout::plain, transposed = Layout::transposed;
  using Adds = Large::Adds;
  for (const std::array<std::int64_t, 3>& size :
       std::vector<std::array<std::int64_t, 3>>{{1537, 5477, 1541}, {3601, 2331, 2051}}) {
    Large large(size);
    for (const auto& [a, b, adds] : {std::tuple(plain, plain, Adds::nothing),
                                     {plain, transposed, Adds::row},
                                     {transposed, plain, Adds::itself},
                                     {transposed, transposed, Adds::another}}) {
      CAPTURE(a == transposed, b == transposed, size, adds);
      large.a_layout = a, large.b_layout = b, large.adds = adds;
      const std::vector<float> result = large.product();
      CHECK(largest_difference(result, large.conventional_product()) < 2e-3);
      CHECK(large.leaves_gaps(result));
    }
  }
}

TEST_CASE("a large product has the same bits on any number of threads", "[autograd][gemm]") {
  if (!gradus::has_avx512_kernels()) return;  // as above
  // By rows and by columns, with one level and with two.
  for (const std::array<std::int64_t, 3>& size : std::vector<std::array<std::int64_t, 3>>{
           {1055, 863, 1537}, {1031, 2110, 401}, {3601, 2331, 2051}, {1537, 5477, 1541}}) {
    Large large(size);
    for (const Layout layout : {Layout::plain, Layout::transposed}) {
      large.a_layout = large.b_layout = layout;
      const Threads one(1);
      const std::vector<float> expected = large.product();
      for (const int count : {2, 3}) {
        const Threads set(count);
        CAPTURE(size, layout == Layout::transposed, count);
        CHECK((large.product() == expected));
      }
    }
  }
}

TEST_CASE("ConventionalProducts is for what is large in all directions", "[autograd][gemm]") {
  const auto differs = [](const std::array<std::int64_t, 3>& size) {
    const Large large(size);
    return large.product() != large.conventional_product();
  };
  CHECK(differs({1024, 768, 384}) == gradus::has_avx512_kernels());
  CHECK_FALSE(differs({1023, 768, 384}));
  CHECK_FALSE(differs({1024, 767, 384}));
  CHECK_FALSE(differs({1024, 768, 383}));
}

TEST_CASE(
    "an infinity reaches the rows 8 away in a large product, and stays in its own in a conventional one",
    "[autograd][gemm]") {
  if (!gradus::has_avx512_kernels()) return;  // then all are conventional
  const auto check = [](const std::array<std::int64_t, 3>& size, const std::vector<std::int64_t>& expected) {
    Large large(size);
    large.a[static_cast<std::size_t>(3 * large.k + 5)] = std::numeric_limits<float>::infinity();
    const auto spoiled = [&](const std::vector<float>& c) {
      std::vector<std::int64_t> rows;
      for (std::int64_t i = 0; i < large.m; ++i) {
        const auto row = c.begin() + i * (large.n + Large::gap);
        if (!std::all_of(row, row + large.n, [](float x) { return std::isfinite(x); })) rows.push_back(i);
      }
      return rows;
    };
    CHECK(spoiled(large.product()) == expected);
    CHECK(spoiled(large.conventional_product()) == std::vector<std::int64_t>{3});
  };
  check({1024, 768, 384}, {3, 11});
  check({1536, 5472, 1536}, {3, 11, 19, 27});
}

TEST_CASE("ConventionalProducts nests, is this thread's, and holds for the operations that it shares",
          "[autograd][gemm]") {
  using gradus::uses_conventional_products;
  CHECK_FALSE(uses_conventional_products());
  {
    const ConventionalProducts outer;
    {
      const ConventionalProducts inner;
      CHECK(uses_conventional_products());
    }
    CHECK(uses_conventional_products());
    std::atomic<int> inherited{0};
    const Threads set(3);
    gradus::parallel_operations(6, [&](std::int64_t) { inherited += uses_conventional_products() ? 1 : 0; });
    CHECK(inherited == 6);
    bool elsewhere = true;
    std::thread([&] { elsewhere = uses_conventional_products(); }).join();
    CHECK_FALSE(elsewhere);
  }
  CHECK_FALSE(uses_conventional_products());
}
