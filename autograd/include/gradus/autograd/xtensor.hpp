#pragma once

// Include this header before any header of xtensor: it works around a bug.
//
// xtensor 0.24.3 tests `__cplusplus == 201703L` where it should test `>=`. So if g++ compiles xtensor as
// C++20, temporaries of dynamic rank become tensors of rank 4 (the inline capacity of xtensor's shape class).
// xt::eval, xt::tile and strided assignments then fail to compile or give wrong results. The specialisation
// below is the same as in xtensor's branch for C++17. It must follow the next two headers, and precede every
// other part of xtensor. Without the specialisation, tests/autograd/tensor/xtensor_test.cpp fails.
// clang-format off
#include <xtensor/xtensor_forward.hpp>
#include <xtensor/xstorage.hpp>
// clang-format on

#if defined(__GNUC__) && !defined(__clang__) && __cplusplus > 201703L && \
    !defined(GRADUS_NO_XTENSOR_WORKAROUND)
namespace xt::detail {
template <class S>
struct xtype_for_shape;
template <>
struct xtype_for_shape<xt::svector<std::size_t, 4, std::allocator<std::size_t>, true>> {
  template <class T, layout_type L>
  using type = xt::xarray<T, L>;
};
}  // namespace xt::detail
#endif

#include <gradus/autograd/tensor.hpp>

#include <xtensor/xadapt.hpp>
#include <xtensor/xarray.hpp>
#include <xtensor/xtensor.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus {

/// A view of a tensor's values as an xtensor expression. It must not outlive the tensor. T is float, double
/// or std::int64_t. @throws Error when T is not the tensor's dtype.
template <class T>
auto as_xarray(const Tensor& tensor) {
  const std::vector<std::size_t> shape(tensor.shape().begin(), tensor.shape().end());
  const auto values = tensor.values<T>();
  return xt::adapt(values.data(), values.size(), xt::no_ownership(), shape);
}

/// A writable view of a tensor's values as an xtensor expression. The call counts as one in-place change.
template <class T>
auto as_mutable_xarray(const Tensor& tensor) {
  const std::vector<std::size_t> shape(tensor.shape().begin(), tensor.shape().end());
  Tensor handle = tensor;
  const auto values = handle.mutable_values<T>("as_mutable_xarray");
  return xt::adapt(values.data(), values.size(), xt::no_ownership(), shape);
}

namespace detail {

template <class Expression>
Shape shape_of(const Expression& values) {
  const std::vector<std::int64_t> sizes(values.shape().begin(), values.shape().end());
  return Shape(std::span<const std::int64_t>(sizes));
}

template <class Container>
Tensor take_over(Container container) {
  const Shape shape = shape_of(container);
  const auto owner = std::make_shared<Container>(std::move(container));
  return adopt(std::shared_ptr<typename Container::value_type>(owner, owner->data()), shape);
}

}  // namespace detail

/// A new tensor with a copy of the values of any xtensor expression of float, double or std::int64_t.
template <class Expression>
Tensor from_xtensor(const xt::xexpression<Expression>& expression) {
  using T = std::decay_t<typename Expression::value_type>;
  const Expression& values = expression.derived_cast();
  Tensor result = empty(detail::shape_of(values), dtype_of<T>);
  if (result.numel() > 0) {
    std::copy(values.template begin<xt::layout_type::row_major>(),
              values.template end<xt::layout_type::row_major>(),
              result.mutable_values<T>("from_xtensor").begin());
  }
  return result;
}

/// A tensor that takes over the memory of a row-major array, without a copy.
template <class Values, class Sizes>
Tensor from_xtensor(xt::xarray_container<Values, xt::layout_type::row_major, Sizes>&& array) {
  return detail::take_over(std::move(array));
}
template <class Values, std::size_t rank>
Tensor from_xtensor(xt::xtensor_container<Values, rank, xt::layout_type::row_major>&& array) {
  return detail::take_over(std::move(array));
}

}  // namespace gradus
#pragma GCC visibility pop
