#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/nn/embedding.hpp>

namespace gradus::nn {

Embedding::Embedding(std::int64_t vocabulary, std::int64_t size, double deviation)
    : weight(add_parameter("weight", normal({vocabulary, size}, 0, deviation, default_generator()))) {}

Tensor Embedding::forward(const Tensor& ids) const {
  const Scope scope = enter();
  return embedding(weight, ids);
}

}  // namespace gradus::nn
