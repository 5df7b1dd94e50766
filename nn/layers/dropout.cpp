#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/nn/dropout.hpp>

namespace gradus::nn {

Dropout::Dropout(double probability) : probability_(probability) {
  if (!(probability >= 0 && probability < 1)) {
    fail("Dropout", "the probability must be in [0, 1), and is ", probability);
  }
}

Tensor Dropout::forward(const Tensor& x) const {
  const Scope scope = enter();
  return is_training() ? dropout(x, probability_, default_generator()) : x;
}

}  // namespace gradus::nn
