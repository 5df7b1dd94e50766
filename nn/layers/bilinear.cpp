#include <gradus/autograd/ops.hpp>
#include <gradus/nn/bilinear.hpp>
#include <gradus/nn/init.hpp>

#include "module/sizes.hpp"

namespace gradus::nn {

Bilinear::Bilinear(std::int64_t inputs_1, std::int64_t inputs_2, std::int64_t outputs, bool with_bias)
    : weight(add_parameter("weight", uniform_fan_in({checked_size("Bilinear", "outputs", outputs),
                                                     checked_size("Bilinear", "first inputs", inputs_1),
                                                     checked_size("Bilinear", "second inputs", inputs_2)},
                                                    inputs_1))),
      bias(with_bias ? add_parameter("bias", uniform_fan_in({outputs}, inputs_1)) : Tensor()) {}

Tensor Bilinear::forward(const Tensor& x_1, const Tensor& x_2) const {
  const Scope scope = enter();
  const std::int64_t O = weight.size(0), I_1 = weight.size(1), I_2 = weight.size(2);
  const bool fit = x_1.rank() > 0 && x_2.rank() > 0 && x_1.size(-1) == I_1 && x_2.size(-1) == I_2 &&
                   x_1.shape().without(-1) == x_2.shape().without(-1);
  if (!fit) {
    fail("Bilinear", "needs inputs (…, ", I_1, ") and (…, ", I_2, ") with equal leading axes, and got ",
         x_1.shape(), " and ", x_2.shape());
  }
  const Tensor flat = transpose(weight, 1, 2).reshape({O * I_2, I_1});
  const Tensor x_A =
      linear(x_1, flat).reshape(x_2.shape().with(-1, O).inserted(x_2.rank(), I_2));  // (…, O, I₂)
  const Tensor y = sum(x_A * unsqueeze(x_2, -2), -1);
  return bias.defined() ? y + bias : y;
}

}  // namespace gradus::nn
