#pragma once

#include <gradus/autograd/dtype.hpp>
#include <gradus/autograd/scope.hpp>

#include <cstdint>
#include <utility>

#include "runtime/profile_state.hpp"

/// Dispatch from a run-time dtype to code for a C++ type. An operation that computes values dispatches its
/// forward pass here once, with its name, and is timed here for the profile.
namespace gradus {

/// Calls f.operator()<T>() with T = float or double. @throws Error for i64.
template <class F>
decltype(auto) for_floating(const char* operation, Dtype dtype, F f) {
  const Profiled profiled(operation, Profiled::Pass::forward);
  if (dtype == Dtype::f32) return f.template operator()<float>();
  if (dtype == Dtype::f64) return f.template operator()<double>();
  fail(operation,
       "works on f32 or f64, not on i64; convert to the dtype of your other tensors: .to(other.dtype())");
}

/// A backward function for record(): calls f.operator()<T>(gradients) with T the type of the gradients.
template <class F>
auto typed(F f) {
  return [f = std::move(f)](auto& gradients) {
    for_floating("backward", gradients.out().dtype(),
                 [&]<class T>() { f.template operator()<T>(gradients); });
  };
}

/// Like for_floating(), but also accepts i64, with T = std::int64_t.
template <class F>
decltype(auto) for_any(const char* operation, Dtype dtype, F f) {
  const Profiled profiled(operation, Profiled::Pass::forward);
  if (dtype == Dtype::f32) return f.template operator()<float>();
  if (dtype == Dtype::f64) return f.template operator()<double>();
  return f.template operator()<std::int64_t>();
}

}  // namespace gradus
