#include <gradus/autograd/random.hpp>
#include <gradus/nn/init.hpp>

#include <cmath>

namespace gradus::nn {

Tensor uniform_fan_in(const Shape& shape, std::int64_t n) {
  const double bound = n > 0 ? 1.0 / std::sqrt(static_cast<double>(n)) : 0.0;
  return uniform(shape, -bound, bound, default_generator());
}

}  // namespace gradus::nn
