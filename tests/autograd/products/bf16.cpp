// Products of inputs rounded to bf16. They use the processor's bf16 instructions, or emulate them in f32.

#include "products/bf16.hpp"

#include <gradus/autograd/memory.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/parallel.hpp>
#include <gradus/autograd/precision.hpp>
#include <gradus/autograd/random.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "autograd/helpers.hpp"
#include "autograd/products/plain_product.hpp"
#include "products/onednn.hpp"
#include "products/packed_matrix.hpp"

using gradus::Generator;
using gradus::Layout;
using gradus::MixedPrecision;
using gradus::Precision;
using gradus::Tensor;

namespace {

std::vector<Precision> precisions() {
  std::vector<Precision> all = {Precision::bf16_emulated};
  if (gradus::supports(Precision::bf16)) all.push_back(Precision::bf16);
  return all;
}

struct Case {
  std::int64_t m, n, k;
  Layout a = Layout::plain, b = Layout::plain;
  float beta = 0;
  bool adds_row = false;  // true: adds one row to every row of the product, like a bias; false: adds C
};

// A, B and C with gaps between their rows in memory. The product must not write into the gaps of C.
class Matrices {
 public:
  explicit Matrices(const Case& c) : c_(c) {
    fill(a_, c.a == Layout::plain ? c.m : c.k, a_stride());
    fill(b_, c.b == Layout::plain ? c.k : c.n, b_stride());
    fill(before_, c.m, c.n + gap);
    fill(row_, 1, c.n);
  }

  std::vector<float> by_gemm() const {
    std::vector<float> c = start();
    gradus::gemm<float>(c_.a, c_.b, c_.m, c_.n, c_.k, {a_.data(), a_stride()}, {b_.data(), b_stride()},
                        addend(c), {c.data(), c_.n + gap});
    return c;
  }
  std::vector<float> by_packed() const {
    std::vector<float> c = start();
    const gradus::PackedMatrix<float> b(c_.b, c_.k, c_.n, {b_.data(), b_stride()});
    b.multiply(c_.m, {a_.data(), a_stride()}, addend(c), {c.data(), c_.n + gap});
    return c;
  }
  // The expected C, by three loops over rounded inputs.
  std::vector<double> expected() const {
    const std::vector<double> product =
        plain_product(c_.m, c_.n, c_.k, rows_of(rounded(a_), c_.a, c_.m, c_.k, a_stride()),
                      rows_of(rounded(b_), c_.b, c_.k, c_.n, b_stride()));
    std::vector<double> c(before_.begin(), before_.end());
    for (std::int64_t i = 0; i < c_.m; ++i) {
      for (std::int64_t j = 0; j < c_.n; ++j) {
        double& x = c[static_cast<std::size_t>(i * (c_.n + gap) + j)];
        x = c_.beta == 0 ? 0 : c_.beta * (c_.adds_row ? row_[static_cast<std::size_t>(j)] : x);
        x += product[static_cast<std::size_t>(i * c_.n + j)];
      }
    }
    return c;
  }

 private:
  static constexpr std::int64_t gap = 3;

  void fill(std::vector<float>& x, std::int64_t rows, std::int64_t stride) {
    x.resize(static_cast<std::size_t>(rows * stride));
    for (float& value : x) value = static_cast<float>(generator_.normal());
  }
  static std::vector<float> rounded(std::vector<float> x) {
    for (float& value : x) value = gradus::bf16::to_float(gradus::bf16::rounded(value));
    return x;
  }
  std::int64_t a_stride() const { return (c_.a == Layout::plain ? c_.k : c_.m) + gap; }
  std::int64_t b_stride() const { return (c_.b == Layout::plain ? c_.n : c_.k) + gap; }
  std::vector<float> start() const {
    std::vector<float> c = before_;
    for (std::int64_t i = 0; i < c_.m && (c_.beta == 0 || c_.adds_row); ++i) {
      std::fill_n(c.begin() + i * (c_.n + gap), c_.n, std::numeric_limits<float>::quiet_NaN());
    }
    return c;
  }
  gradus::Addend<float> addend(const std::vector<float>& c) const {
    if (c_.adds_row) return {c_.beta, {row_.data(), 0}};
    return {c_.beta, {c.data(), c_.n + gap}};
  }

  Case c_;
  Generator generator_{1};
  std::vector<float> a_, b_, before_, row_;
};

std::vector<double> doubles(const std::vector<float>& x) { return {x.begin(), x.end()}; }

}  // namespace

TEST_CASE("numbers are rounded to the nearest bf16, ties to even", "[autograd][bf16]") {
  const auto rounded = [](float x) { return gradus::bf16::to_float(gradus::bf16::rounded(x)); };
  constexpr float ulp = 0x1p-7F, inf = std::numeric_limits<float>::infinity();
  CHECK(rounded(1) == 1);
  CHECK(rounded(-2.5F) == -2.5F);
  CHECK(rounded(1 + 0.49F * ulp) == 1);
  CHECK(rounded(1 + 0.51F * ulp) == 1 + ulp);
  CHECK(rounded(1 + 0.5F * ulp) == 1);            // the even neighbour is below
  CHECK(rounded(1 + 1.5F * ulp) == 1 + 2 * ulp);  // the even neighbour is above
  CHECK(rounded(-1 - 1.5F * ulp) == -1 - 2 * ulp);
  CHECK(rounded(inf) == inf);
  CHECK(rounded(-inf) == -inf);
  CHECK(rounded(std::numeric_limits<float>::max()) == inf);
  CHECK(std::signbit(rounded(-0.0F)));
  CHECK(std::isnan(rounded(std::numeric_limits<float>::quiet_NaN())));
  CHECK(std::isnan(rounded(__builtin_bit_cast(float, 0x7F800001U))));  // its upper 16 bits equal those of ∞
}

TEST_CASE("products in bf16 match three loops over rounded inputs", "[autograd][bf16]") {
  constexpr auto plain = Layout::plain, transposed = Layout::transposed;
  // Sizes around the blocks of 256 rows, 2048 columns and 4096 terms. The last block of rows is padded to 16,
  // 32 or a multiple of 64 rows.
  const std::vector<Case> cases = {
      {8, 512, 64},
      {17, 130, 129, plain, transposed, 1},
      {61, 128, 384, plain, plain, -0.5F},
      {64, 384, 128, plain, transposed, 1, true},
      {300, 33, 600, transposed, plain, 1},
      {257, 700, 70, transposed, transposed, 0.5F, true},
      {9, 2100, 40, plain, plain, 1},
      {20, 40, 4200, transposed, plain, 0},
      {12, 40, 4200, plain, transposed, 1, true},
      {256, 2048, 64, plain, plain, 1},  // exactly one block, added to C
  };
  for (const Precision precision : precisions()) {
    const MixedPrecision mixed(precision);
    for (const int threads : {1, 2}) {
      const Threads set(threads);
      for (const Case& c : cases) {
        CAPTURE(precision == Precision::bf16, threads, c.m, c.n, c.k, c.a == transposed, c.b == transposed,
                c.beta);
        const Matrices x(c);
        const std::vector<double> expected = x.expected();
        CHECK(difference(doubles(x.by_gemm()), expected, 1e-4) == "");
        if (c.a == plain) CHECK(difference(doubles(x.by_packed()), expected, 1e-4) == "");
      }
    }
  }
}

TEST_CASE("small products, f64 products and products outside the scope are not rounded", "[autograd][bf16]") {
  Generator generator(1);
  const auto product = [&](std::int64_t m, std::int64_t n, gradus::Dtype dtype) {
    Generator same(2);
    const Tensor a = normal({m, 128}, 0, 1, same, dtype), b = normal({128, n}, 0, 1, same, dtype);
    return matmul(a, b);
  };
  const Tensor few_rows = product(7, 128, gradus::Dtype::f32),
               few_weights = product(64, 127, gradus::Dtype::f32),
               large = product(8, 128, gradus::Dtype::f32), in_double = product(64, 128, gradus::Dtype::f64);
  {
    const MixedPrecision mixed(Precision::bf16_emulated);
    CHECK(gradus::precision() == Precision::bf16_emulated);
    CHECK(difference(product(7, 128, gradus::Dtype::f32), few_rows, 0) == "");
    CHECK(difference(product(64, 127, gradus::Dtype::f32), few_weights, 0) == "");
    CHECK(difference(product(64, 128, gradus::Dtype::f64), in_double, 0) == "");
    CHECK(difference(product(8, 128, gradus::Dtype::f32), large, 1e-4) != "");
    CHECK(difference(product(8, 128, gradus::Dtype::f32), large, 0.05) == "");
    {
      const MixedPrecision inner(Precision::f32);
      CHECK(difference(product(8, 128, gradus::Dtype::f32), large, 0) == "");
    }
    std::atomic<int> inherited{0};
    const Threads set(3);
    gradus::parallel_operations(
        6, [&](std::int64_t) { inherited += gradus::precision() == Precision::bf16_emulated ? 1 : 0; });
    CHECK(inherited == 6);
  }
  CHECK(gradus::precision() == Precision::f32);
  CHECK(difference(product(8, 128, gradus::Dtype::f32), large, 0) == "");
}

TEST_CASE("memory_stats() counts the memory of rounded inputs", "[autograd][bf16]") {
  constexpr std::int64_t n = 512;
  const Tensor a = gradus::ones({n, n}), b = gradus::ones({n, n});
  for (const Precision precision : precisions()) {
    CAPTURE(precision == Precision::bf16);
    const MixedPrecision mixed(precision);
    const gradus::MemoryStats before = gradus::memory_stats();
    // Raises live_bytes to peak_bytes, so that peak_bytes shows what the product allocates.
    const Tensor filling =
        gradus::empty({(before.peak_bytes - before.live_bytes) / 4 + 1}, gradus::Dtype::f32);
    const std::int64_t live = gradus::memory_stats().live_bytes;
    const Tensor c = matmul(a, b);
    const std::int64_t result = n * n * 4, rounded_b = n * n * 2;
    CHECK(gradus::memory_stats().peak_bytes >= live + result + rounded_b);
  }
}

TEST_CASE("MixedPrecision rejects bf16 on processors without bf16 instructions", "[autograd][bf16]") {
  CHECK(gradus::supports(Precision::f32));
  CHECK(gradus::supports(Precision::bf16_emulated));
  if (gradus::supports(Precision::bf16)) {
    CHECK_NOTHROW(MixedPrecision(Precision::bf16));
    return;
  }
  CHECK_THROWS_WITH(MixedPrecision(Precision::bf16),
                    Catch::Matchers::StartsWith("MixedPrecision: ") &&
                        Catch::Matchers::EndsWith(
                            "; use bf16_emulated, which rounds the same way and multiplies in f32, or f32"));
  CHECK(gradus::precision() == Precision::f32);
}

TEST_CASE("oneDNN generates code for few shapes, even for many sizes", "[autograd][bf16]") {
  if (!gradus::supports(Precision::bf16)) return;  // without bf16 instructions, oneDNN is not used
  const MixedPrecision mixed(Precision::bf16);
  const auto run = [](std::int64_t first, std::int64_t last) {
    const Tensor b = gradus::ones({160, 192});
    for (std::int64_t rows = first; rows < last; ++rows) {
      matmul(gradus::ones({rows, 160}), b);                                           // a layer's output
      matmul(transpose(gradus::ones({rows, 160}), 0, 1), gradus::ones({rows, 192}));  // a weight's gradient
    }
  };
  const std::int64_t before = gradus::onednn::shapes_made();
  run(8, 400);
  const std::int64_t first = gradus::onednn::shapes_made();
  CHECK(first - before <= 20);
  run(8, 400);
  CHECK(gradus::onednn::shapes_made() == first);
}
