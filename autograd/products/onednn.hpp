#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "product.hpp"

/// Products by oneDNN. Each product runs on the calling thread.
namespace gradus::onednn {

/// False if gradus was built without oneDNN. In that case, call only description() and has_bf16().
bool is_used();

/// C ← A·B + β·D.
void multiply(const Product<float>& p);

/// Version and instruction set of oneDNN, such as "oneDNN 2.6.3, avx512_core". Empty without oneDNN.
std::string description();

/// True if the processor has bf16 instructions, and oneDNN uses them.
bool has_bf16();

/// How the B of a RoundedProduct is stored; `packed` is an internal layout of oneDNN.
enum class BLayout { plain, transposed, packed };

/// The shape of C ← A·B for contiguous A (m, k) and B (k, n) in bf16, and C (m, n) in f32.
struct RoundedProduct {
  std::int64_t m, n, k;
  Layout a;
  BLayout b;
  std::int64_t c_stride = n;

  auto operator<=>(const RoundedProduct&) const = default;
};
/// False if oneDNN has only its reference code for this shape, as for some strides of C. That code is a
/// hundred times slower.
bool is_fast(const RoundedProduct& shape);
/// C ← A·B. oneDNN generates code once per shape.
void multiply(const RoundedProduct& shape, const std::uint16_t* a, const void* b, float* c);

/// The number of bytes of a packed B (k, n).
std::int64_t packed_bytes(std::int64_t k, std::int64_t n);
/// Packs a contiguous B (k, n) that is stored in `layout`.
void pack(Layout layout, std::int64_t k, std::int64_t n, const std::uint16_t* b, void* packed);

/// The number of shapes for which code was generated.
std::int64_t shapes_made();

}  // namespace gradus::onednn
