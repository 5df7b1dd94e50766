#include <gradus/autograd/ops.hpp>
#include <gradus/nn/layer_norm.hpp>

#include "module/sizes.hpp"

namespace gradus::nn {

LayerNorm::LayerNorm(std::int64_t size, double epsilon)
    : weight(add_parameter("weight", ones({checked_size("LayerNorm", "a size", size)}))),
      bias(add_parameter("bias", zeros({size}))),
      epsilon_(epsilon) {
  if (!(epsilon >= 0)) fail("LayerNorm", "epsilon must not be negative, and is ", epsilon);
}

Tensor LayerNorm::forward(const Tensor& x) const {
  const Scope scope = enter();
  return layer_norm(x, weight, bias, epsilon_);
}

}  // namespace gradus::nn
