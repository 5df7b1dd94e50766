#pragma once

#include <gradus/autograd/tape.hpp>

#include <algorithm>

#include "dispatch.hpp"
#include "map.hpp"

namespace gradus {

/// d(loss)/d(input i) += f(x…), summed over the axes along which the input is stretched. f is evaluated over
/// the shape `over`, to which the input and every x broadcast. Every gradient of an elementwise operation has
/// this form.
template <class T, class F, class... X>
void add_gradient(Gradients& g, int i, F f, const Shape& over, View<X>... x) {
  g.accumulate(i, [&](const Tensor& gradient, int beta) {
    if (beta == 0 && gradient.shape() == over) return map(f, view<T>(gradient), x...);
    if (beta == 0) std::fill_n(raw<T>(gradient), gradient.numel(), T(0));
    map_add(f, over, view<T>(gradient), x...);
  });
}

/// d(loss)/d(input i) += f(d, x…), where d is the gradient of the result. Every x has the dtype of d.
template <class F, class... X>
void add_gradient(Gradients& g, int i, F f, const X&... x) {
  for_floating("backward", g.out().dtype(), [&]<class T>() {
    add_gradient<T>(g, i, f, g.out().shape(), view<const T>(g.out()), view<const T>(x)...);
  });
}

}  // namespace gradus
