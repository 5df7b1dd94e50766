#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/nn/locked_dropout.hpp>

namespace gradus::nn {

Tensor LockedDropout::forward(const Tensor& x) const {
  const Scope scope = enter();
  if (x.rank() == 0) fail("LockedDropout", "a scalar has no steps; the input must be (T, …)");
  if (!is_training()) return x;
  return x * dropout(ones(x.shape().without(0), x.dtype()), probability(), default_generator());
}

}  // namespace gradus::nn
