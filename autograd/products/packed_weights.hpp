#pragma once

#include <gradus/autograd/tensor.hpp>

#include <cstdint>
#include <memory>

#include "gemm.hpp"
#include "memory/storage.hpp"
#include "packed_matrix.hpp"

namespace gradus {

/// The packed columns [first, first + columns) of a weight, or their transpose, from this thread's
/// PackWeights. Null without a PackWeights and for a very large weight. Also null for a weight that is not a
/// leaf or requires no gradient: such a tensor is seldom used in a second product.
template <class T>
std::shared_ptr<const PackedMatrix<T>> packed_weight(Layout layout, const Tensor& weight, std::int64_t first,
                                                     std::int64_t columns);

/// The addend of a product that adds a bias to every row. If the bias is undefined, nothing is added.
template <class T>
Addend<T> added_bias(const Tensor& bias) {
  return bias.defined() ? Addend<T>{T(1), {raw<T>(bias), 0}} : Addend<T>{};
}

/// y ← x·Wᵀ + β·D for x (m, columns) and y (m, n). W (n, columns) is columns [first, first + columns) of
/// `weight`. Uses the weight's WeightProduct if it has one. Otherwise uses the packed weight, if there is one
/// and m is in [8, 256]. MixedPrecision rounds only if m ≥ 8.
template <class T>
void multiply_by_weight(std::int64_t m, Rows<const T> x, const Tensor& weight, std::int64_t first,
                        std::int64_t columns, Addend<T> addend, Rows<T> y);

}  // namespace gradus
