#include "bf16.hpp"

#include <gradus/autograd/precision.hpp>

#include <algorithm>

#include "kernels/clones.hpp"
#include "kernels/ranges.hpp"
#include "memory/storage.hpp"
#include "onednn.hpp"
#include "runtime/runtime_state.hpp"

namespace gradus::bf16 {
namespace {

// oneDNN generates code for each size of a product. So products are cut into blocks, and blocks are padded so
// that only a few sizes occur.
constexpr std::int64_t most_rows = 256, most_columns = 2048, most_terms = 4096, packed_columns = 256;

constexpr std::int64_t multiple(std::int64_t x, std::int64_t of) { return (x + of - 1) / of * of; }
constexpr std::int64_t padded(std::int64_t side) { return multiple(side, 64); }
constexpr std::int64_t padded_rows(std::int64_t m) { return m <= 16 ? 16 : m <= 32 ? 32 : padded(m); }

// Memory from the pool for `count` elements.
template <class T>
struct Scratch {
  Tensor memory;
  explicit Scratch(std::int64_t count)
      : memory(empty({(count * static_cast<std::int64_t>(sizeof(T)) + 3) / 4}, Dtype::f32)) {}
  T* data() const { return static_cast<T*>(memory.impl().data()); }
};

GRADUS_CLONES void round_row(std::int64_t n, const float* x, Bits* y) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = rounded(x[i]);
}
GRADUS_CLONES void round_row(std::int64_t n, const float* x, float* y) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = to_float(rounded(x[i]));
}

// Copies x (rows, columns), rounded to bf16, into `to` (all_rows, all_columns). Pads with zeros.
template <class T>
void round(std::int64_t rows, std::int64_t columns, Rows<const float> x, std::int64_t all_rows,
           std::int64_t all_columns, T* to) {
  for (std::int64_t i = 0; i < rows; ++i) {
    round_row(columns, x.data + i * x.stride, to + i * all_columns);
    std::fill(to + i * all_columns + columns, to + (i + 1) * all_columns, T(0));
  }
  std::fill(to + rows * all_columns, to + all_rows * all_columns, T(0));
}

// Rounds and pads an operand that is stored in `layout`. `rows` and `columns` are its sizes as the product
// uses it, that is, after a transpose if `layout` is transposed. The result, written to `to`, has the same
// layout.
void round(Layout layout, std::int64_t rows, std::int64_t columns, Rows<const float> x, std::int64_t all_rows,
           std::int64_t all_columns, Bits* to) {
  if (layout == Layout::plain) return round(rows, columns, x, all_rows, all_columns, to);
  round(columns, rows, x, all_columns, all_rows, to);
}

// C (m, n) ← A·B + β·D for a block of rows and columns. A and B are padded with zeros to the sizes in
// `shape`. The padded part of the result is dropped.
void multiply_block(onednn::RoundedProduct shape, std::int64_t m, std::int64_t n, const Bits* a,
                    const void* b, Addend<float> addend, Rows<float> c) {
  const float beta = addend.beta;
  shape.c_stride = c.stride;
  const bool in_c =
      m == shape.m && n == shape.n && (beta == 0 || addend.d.data != c.data) && onednn::is_fast(shape);
  const Scratch<float> apart(in_c ? 0 : shape.m * shape.n);
  const Rows<float> product = in_c ? c : Rows<float>{apart.data(), shape.n};
  shape.c_stride = product.stride;
  onednn::multiply(shape, a, b, product.data);
  for (std::int64_t i = 0; i < m && !(in_c && beta == 0); ++i) {
    const float* const from = product.data + i * product.stride;
    float* const to = c.data + i * c.stride;
    if (beta == 0) {
      std::copy_n(from, n, to);
    } else {
      const float* const d = addend.d.data + i * addend.d.stride;
      for (std::int64_t j = 0; j < n; ++j) to[j] = from[j] + beta * d[j];
    }
  }
}

// Computes a product with p.k ≤ most_terms.
void multiply_slice(const Product<float>& p) {
  const std::int64_t k = padded(p.k), columns = std::min(p.n, most_columns);
  const Scratch<Bits> a(padded_rows(std::min(p.m, most_rows)) * k), b(k * padded(columns));
  for (std::int64_t j = 0; j < p.n; j += columns) {
    const Product<float> chunk = p.columns(j, std::min(j + columns, p.n));
    const std::int64_t n = padded(chunk.n);
    round(p.b_layout, p.k, chunk.n, chunk.b, k, n, b.data());
    for (std::int64_t i = 0; i < p.m; i += most_rows) {
      const Product<float> part = chunk.rows(i, std::min(i + most_rows, p.m));
      const std::int64_t m = padded_rows(part.m);
      round(p.a_layout, part.m, p.k, part.a, m, k, a.data());
      multiply_block(
          {.m = m,
           .n = n,
           .k = k,
           .a = p.a_layout,
           .b = p.b_layout == Layout::plain ? onednn::BLayout::plain : onednn::BLayout::transposed},
          part.m, part.n, a.data(), b.data(), part.addend, part.c);
    }
  }
}

// Computes a product on this thread.
void multiply_part(const Product<float>& p) {
  for (std::int64_t l = 0; l < p.k; l += most_terms) {
    multiply_slice(p.terms(l, std::min(l + most_terms, p.k)));
  }
}

// A copy of x (rows, columns) with rounded values.
Tensor rounded(std::int64_t rows, std::int64_t columns, Rows<const float> x) {
  Tensor y = empty({rows, columns}, Dtype::f32);
  round(rows, columns, x, rows, columns, raw<float>(y));
  return y;
}

// Multiplies in f32 after rounding the inputs to bf16.
void multiply_emulated(const Product<float>& p) {
  const bool a_is_plain = p.a_layout == Layout::plain, b_is_plain = p.b_layout == Layout::plain;
  const Tensor a = rounded(a_is_plain ? p.m : p.k, a_is_plain ? p.k : p.m, p.a);
  const Tensor b = rounded(b_is_plain ? p.k : p.n, b_is_plain ? p.n : p.k, p.b);
  Product<float> q = p;
  q.a = {raw<float>(a), a.size(1)};
  q.b = {raw<float>(b), b.size(1)};
  gradus::multiply(q);
}

bool is_emulated() { return thread_state().precision == Precision::bf16_emulated; }

}  // namespace

bool rounds(std::int64_t m, std::int64_t n, std::int64_t k) {
  return thread_state().precision != Precision::f32 && m >= 8 && rounds_weights(n, k);
}

bool rounds_weights(std::int64_t n, std::int64_t k) {
  return thread_state().precision != Precision::f32 && n >= 32 && k >= 32 && n * k >= 1 << 14;
}

void multiply(const Product<float>& p) {
  if (is_emulated()) return multiply_emulated(p);
  split_among_threads(p, multiply_part);
}

Packed::Packed(Layout layout, std::int64_t k, std::int64_t n, Rows<const float> b)
    : layout_(layout), k_(k), n_(n), emulated_(is_emulated()) {
  if (emulated_) {
    const bool plain = layout == Layout::plain;
    chunks_.push_back(rounded(plain ? k : n, plain ? n : k, b));
    return;
  }
  const std::int64_t all = padded(k);
  chunks_.resize(static_cast<std::size_t>((n + packed_columns - 1) / packed_columns));
  parallel_tasks(std::ssize(chunks_), [&](std::int64_t chunk) {
    const std::int64_t first = chunk * packed_columns, columns = std::min(n - first, packed_columns);
    const std::int64_t width = padded(columns);
    const Scratch<Bits> bits(all * width);
    round(layout, k, columns, block(b, layout, 0, first), all, width, bits.data());
    Tensor& packed = chunks_[static_cast<std::size_t>(chunk)];
    packed = empty({(onednn::packed_bytes(all, width) + 3) / 4}, Dtype::f32);
    onednn::pack(layout, all, width, bits.data(), packed.impl().data());
  });
}

void Packed::multiply(std::int64_t m, Rows<const float> a, Addend<float> addend, Rows<float> c) const {
  if (m == 0 || n_ == 0) return;
  if (emulated_) {
    const Tensor x = rounded(m, k_, a), &b = chunks_[0];
    return gradus::multiply(Product<float>{
        Layout::plain, layout_, m, n_, k_, {raw<float>(x), k_}, {raw<float>(b), b.size(1)}, addend, c});
  }
  const std::int64_t k = padded(k_), rows = padded_rows(m);
  const Scratch<Bits> bits(rows * k);
  round(m, k_, a, rows, k, bits.data());
  const auto work = [&](std::int64_t chunk) {
    const std::int64_t j = chunk * packed_columns, n = std::min(n_ - j, packed_columns);
    for (std::int64_t i = 0; i < m; i += most_rows) {
      const std::int64_t part = std::min(m - i, most_rows);
      multiply_block(
          {.m = padded_rows(part), .n = padded(n), .k = k, .a = Layout::plain, .b = onednn::BLayout::packed},
          part, n, bits.data() + i * k, chunks_[static_cast<std::size_t>(chunk)].impl().data(),
          block(addend, i, j), block(c, Layout::plain, i, j));
    }
  };
  if (threads_for_product(m, n_, k_) > 1) return parallel_tasks(std::ssize(chunks_), work);
  for (std::int64_t chunk = 0; chunk < std::ssize(chunks_); ++chunk) work(chunk);
}

}  // namespace gradus::bf16
