#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/tape.hpp>

#include "kernels/dispatch.hpp"
#include "storage.hpp"

namespace gradus {

Tensor dropout(const Tensor& x, double probability, Generator& generator) {
  if (!(probability >= 0 && probability < 1)) {
    fail("dropout", "the probability must be in [0, 1), and is ", probability);
  }
  if (probability == 0) return x;
  Tensor mask = empty(x.shape(), x.dtype());  // 0 or 1 / (1 − probability)
  for_floating("dropout", x.dtype(), [&]<class T>() {
    const T kept = static_cast<T>(1.0 / (1.0 - probability));
    for (T& m : std::span(raw<T>(mask), static_cast<std::size_t>(mask.numel()))) {
      m = generator.uniform() < probability ? T(0) : kept;
    }
  });
  return mul(x, mask);
}

}  // namespace gradus
