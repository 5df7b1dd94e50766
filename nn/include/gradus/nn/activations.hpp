#pragma once

#include <gradus/autograd/ops.hpp>
#include <gradus/nn/layer.hpp>

namespace gradus::nn {

/// An elementwise function as a layer, without parameters.
template <Tensor (*f)(const Tensor&)>
class Activation : public Layer {
 public:
  Tensor forward(const Tensor& x) const override {
    const Scope scope = enter();
    return f(x);
  }
};

using Tanh = Activation<gradus::tanh>;
using Sigmoid = Activation<gradus::sigmoid>;
using ReLU = Activation<gradus::relu>;
using Softplus = Activation<gradus::softplus>;

}  // namespace gradus::nn
