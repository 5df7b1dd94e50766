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
  Tensor y = empty(x.shape(), x.dtype());
  for_floating("dropout", x.dtype(), [&]<class T>() {
    for (std::int64_t i = 0; i < x.numel(); ++i) raw<T>(y)[i] = raw<T>(x)[i] * raw<T>(mask)[i];
  });
  return record("dropout", y, {x}, [mask = Saved(mask)](Gradients& g) {
    for_floating("dropout", g.out().dtype(), [&]<class T>() {
      const T* gradient = raw<T>(g.out());
      const T* m = raw<T>(mask.get(g));
      T* target = raw<T>(g.in(0));
      for (std::int64_t i = 0; i < g.out().numel(); ++i) target[i] += gradient[i] * m[i];
    });
  });
}

}  // namespace gradus
