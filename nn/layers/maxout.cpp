#include <gradus/autograd/ops.hpp>
#include <gradus/nn/init.hpp>
#include <gradus/nn/maxout.hpp>

#include "module/sizes.hpp"

namespace gradus::nn {

Maxout::Maxout(std::int64_t inputs, std::int64_t outputs, std::int64_t pieces)
    : weight(add_parameter("weight", uniform_fan_in({checked_size("Maxout", "outputs", outputs) *
                                                         checked_size("Maxout", "pieces", pieces),
                                                     checked_size("Maxout", "inputs", inputs)},
                                                    inputs))),
      bias(add_parameter("bias", uniform_fan_in({outputs * pieces}, inputs))),
      pieces_(pieces) {}

Tensor Maxout::forward(const Tensor& x) const {
  const Scope scope = enter();
  const Tensor z = linear(x, weight, bias);  // (…, outputs · pieces)
  const Shape split = z.shape().with(-1, z.size(-1) / pieces_).inserted(z.rank(), pieces_);
  return max(z.reshape(split), -1);
}

}  // namespace gradus::nn
