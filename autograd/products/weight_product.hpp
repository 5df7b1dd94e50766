#pragma once

#include <gradus/autograd/weight_product.hpp>

#include <cstdint>
#include <memory>
#include <type_traits>

#include "gemm.hpp"
#include "memory/storage.hpp"

namespace gradus {

/// The product that a UseWeightProduct has set for `weight` or, if `weight` is a view of rows of a larger
/// matrix, for that matrix. Null if there is no product, or if the weight's values have changed since the
/// product was set.
std::shared_ptr<const WeightProduct> weight_product(const Tensor& weight);

/// y ← x·W'ᵀ + β·D, where W' is the columns [first, first + columns) of `weight`. `addend` holds D and β,
/// which must be 0 or 1. `product` is the result of weight_product(weight).
template <class T>
void multiply(const WeightProduct& product, std::int64_t m, Rows<const T> x, const Tensor& weight,
              std::int64_t first, std::int64_t columns, Addend<T> addend, Rows<T> y) {
  if constexpr (std::is_same_v<T, float>) {
    product.multiply(m, x.data, x.stride,
                     {.row = weight.impl().offset / weight.size(1),
                      .rows = weight.size(0),
                      .column = first,
                      .columns = columns},
                     addend.beta == 0 ? nullptr : addend.d.data, addend.d.stride, y.data, y.stride);
  }
}

}  // namespace gradus
