#include <gradus/autograd/ops.hpp>
#include <gradus/nn/locked_dropout.hpp>

namespace gradus::nn {

Tensor LockedDropout::forward(const Tensor& x) const {
  if (!is_training()) return x;
  const Tensor mask = Dropout::forward(ones(x.shape().without(0), x.dtype()));
  const Scope scope = enter();
  return x * mask;
}

}  // namespace gradus::nn
