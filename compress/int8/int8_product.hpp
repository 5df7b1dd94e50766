#pragma once

#include <gradus/autograd/weight_product.hpp>
#include <gradus/nn/int8.hpp>

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "int8/onednn_product.hpp"

namespace gradus::compress {

/// With at most this many columns, the sum Σ p q with |p|, |q| ≤ 127 is below 2³¹.
constexpr std::int64_t most_columns = 1 << 16;

/// The product that Int8Products uses.
class Int8Product : public WeightProduct {
 public:
  explicit Int8Product(nn::Int8Matrix matrix);
  void multiply(std::int64_t m, const float* x, std::int64_t x_stride, const Part& part, const float* d,
                std::int64_t d_stride, float* y, std::int64_t y_stride) const override;

 private:
  const onednn::Int8Weight& packed(const Part& part) const;

  nn::Int8Matrix matrix_;
  mutable std::mutex mutex_;
  mutable std::vector<std::pair<Part, std::unique_ptr<const onednn::Int8Weight>>> packed_;
};

/// p ← x / s_x, rounded to nearest, with s_x = max |x| / 127.
/// @return s_x. It is 0 if max |x| < 2⁻¹⁰⁰, and NaN if x has a NaN or an infinity, so that scale_row() writes
/// NaN. In both cases p is 0.
float quantise_row(std::int64_t n, const float* x, std::int8_t* p);

/// multiply_plain() multiplies this many numbers of a row at a time. It pads the rows of p with zeros.
constexpr std::int64_t plain_padding = 32;

/// sums (m, n) ← p·qᵀ for p (m, k) and q (n, k). The row stride of q is `stride`; that of p is k. At least
/// plain_padding − 1 bytes after the last row of q must be readable. Their values do not matter.
void multiply_plain(std::int64_t m, std::int64_t n, std::int64_t k, const std::int8_t* p,
                    const std::int8_t* q, std::int64_t stride, std::int32_t* sums);

/// y_i ← s_x s_i sums_i + d_i; d may be null, or may be y itself.
void scale_row(std::int64_t n, const std::int32_t* sums, float s_x, const float* s, const float* d, float* y);

}  // namespace gradus::compress
