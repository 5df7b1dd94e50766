#include "attention/previous_weights.hpp"

#include <gradus/autograd/ops.hpp>

namespace gradus::nn {

Tensor previous_or_start(const char* attention, const Tensor& previous_weights, const Memory& memory) {
  const std::int64_t T = memory.values.size(0), B = memory.values.size(1);
  if (!previous_weights.defined()) return pad(ones({B, 1}, memory.values.dtype()), 1, 0, T - 1);
  if (previous_weights.shape() != Shape{B, T}) {
    fail(attention, "the previous weights are ", previous_weights.shape(), " and must be ", Shape{B, T},
         " for values ", memory.values.shape());
  }
  return previous_weights;
}

}  // namespace gradus::nn
