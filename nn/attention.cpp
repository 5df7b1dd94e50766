#include <gradus/nn/attention.hpp>

namespace gradus::nn {

Memory Attention::prepare(const Tensor& values, const Tensor& lengths) const {
  return {values, Tensor(), lengths};
}

}  // namespace gradus::nn
