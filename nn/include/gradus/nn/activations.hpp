#pragma once

#include <gradus/autograd/ops.hpp>
#include <gradus/nn/layer.hpp>

#pragma GCC visibility push(default)
namespace gradus::nn {

/// A layer without parameters that applies an elementwise function.
template <Tensor (*f)(const Tensor&)>
class Activation : public Layer {
 public:
  Tensor forward(const Tensor& x) const override {
    const Scope scope = enter();
    return f(x);
  }
};

// x (…) → the same shape.
using Tanh = Activation<gradus::tanh>;          ///< tanh x
using Sigmoid = Activation<gradus::sigmoid>;    ///< 1 / (1 + e^−x)
using ReLU = Activation<gradus::relu>;          ///< max(x, 0) (Nair and Hinton 2010)
using Softplus = Activation<gradus::softplus>;  ///< ln(1 + e^x) (Dugas et al. 2001)

}  // namespace gradus::nn
#pragma GCC visibility pop
