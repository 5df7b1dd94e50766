#include <gradus/autograd/ops.hpp>
#include <gradus/nn/init.hpp>
#include <gradus/nn/linear.hpp>

#include "module/sizes.hpp"

namespace gradus::nn {

Linear::Linear(std::int64_t inputs, std::int64_t outputs, bool with_bias)
    : weight(add_parameter("weight", uniform_fan_in({checked_size("Linear", "outputs", outputs),
                                                     checked_size("Linear", "inputs", inputs)},
                                                    inputs))),
      bias(with_bias ? add_parameter("bias", uniform_fan_in({outputs}, inputs)) : Tensor()) {}

Tensor Linear::forward(const Tensor& x) const {
  const Scope scope = enter();
  return linear(x, weight, bias);
}

}  // namespace gradus::nn
