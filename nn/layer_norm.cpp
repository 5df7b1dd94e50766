#include <gradus/autograd/ops.hpp>
#include <gradus/nn/layer_norm.hpp>

namespace gradus::nn {

LayerNorm::LayerNorm(std::int64_t size, double epsilon)
    : weight(add_parameter("weight", ones({size}))),
      bias(add_parameter("bias", zeros({size}))),
      epsilon_(epsilon) {}

Tensor LayerNorm::forward(const Tensor& x) const {
  const Scope scope = enter();
  return layer_norm(x, weight, bias, epsilon_);
}

}  // namespace gradus::nn
