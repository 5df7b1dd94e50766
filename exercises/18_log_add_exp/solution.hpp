#pragma once

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/recording.hpp>
#include <gradus/autograd/tape.hpp>

using namespace gradus;

// Sums g over the axes along which `shape` was broadcast to the shape of g. The result has the shape `shape`.
inline Tensor sum_to(const Tensor& g, const Shape& shape) {
  Tensor sums = g;
  while (sums.shape().rank() > shape.rank()) sums = sum(sums, 0);
  for (int axis = 0; axis < shape.rank(); ++axis)
    if (shape[axis] == 1) sums = sum(sums, axis, true);
  return sums;
}

// ln(e^a + e^b) as one operation on the tape. ∂y/∂a = e^a / (e^a + e^b) = σ(a − b).
inline Tensor log_add_exp(const Tensor& a, const Tensor& b) {
  Tensor y;
  {
    const NoGrad off;
    y = maximum(a, b) + softplus(-abs(a - b));  // cannot overflow
  }
  return record("log_add_exp", y, {a, b}, {a, b}, [](Gradients& g) {
    const Tensor &x = g.saved(0), &z = g.saved(1);
    if (g.wants(0)) g.add(0, sum_to(g.out() * sigmoid(x - z), x.shape()));
    if (g.wants(1)) g.add(1, sum_to(g.out() * sigmoid(z - x), z.shape()));
  });
}
