#include <gradus/autograd/checks.hpp>
#include <gradus/nn/attention.hpp>

namespace gradus::nn {

Memory Attention::prepare(const Tensor& values, const Tensor& lengths) const {
  const Scope scope = enter();
  if (values.rank() != 3) fail("Attention", "the values are ", values.shape(), " and must be (T, B, D)");
  check_lengths("Attention", lengths, values.size(1), values.size(0));
  return {values, Tensor(), lengths};
}

}  // namespace gradus::nn
