#include "encoders/pairs.hpp"

#include <gradus/autograd/ops.hpp>

#include <cstdint>

namespace gradus::models {

Tensor pairs(const Tensor& x) {
  const std::int64_t T = x.size(0), B = x.size(1), D = x.size(2), odd = T % 2;
  const Tensor even = odd == 1 ? pad(x, 0, 0, 1) : x;
  return transpose(even.reshape({(T + odd) / 2, 2, B, D}), 1, 2).reshape({(T + odd) / 2, B, 2 * D});
}

}  // namespace gradus::models
