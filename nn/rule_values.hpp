#pragma once

#include <gradus/nn/optimiser.hpp>

#include <cstddef>
#include <cstdint>

namespace gradus::nn {

/// Calls f(θ, g, averages, n) with pointers to the n values of each that are to be changed, in the
/// parameter's precision; averages(k) points to those of the k-th. A rule's constants are rounded to that
/// precision once, so that its loop is one pass of one type, which the compiler vectorises.
template <class F>
void with_values(const char* by, Update& update, F f) {
  const auto call = [&]<class T>() {
    const auto averages = [&](std::size_t k) {
      return update.averages[k].mutable_values<T>(by).data() + update.begin;
    };
    f(update.parameter.mutable_values<T>(by).data() + update.begin,
      update.gradient.values<T>().data() + update.begin, averages, update.end - update.begin);
  };
  update.parameter.dtype() == Dtype::f32 ? call.template operator()<float>()
                                         : call.template operator()<double>();
}

}  // namespace gradus::nn
