#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/tape.hpp>

#include "kernels/dispatch.hpp"
#include "kernels/gradient.hpp"
#include "storage.hpp"

namespace gradus {

Tensor dropout(const Tensor& x, double probability, Generator& generator) {
  if (!(probability >= 0 && probability < 1)) {
    fail("dropout", "the probability must be in [0, 1), and is ", probability);
  }
  if (probability == 0) return x;
  Tensor mask = empty(x.shape(), x.dtype());  // 0 or 1 / (1 − probability)
  Tensor y = empty(x.shape(), x.dtype());
  for_floating("dropout", x.dtype(), [&]<class T>() {
    const T kept = static_cast<T>(1.0 / (1.0 - probability));
    for (std::int64_t i = 0; i < x.numel(); ++i) {
      raw<T>(mask)[i] = generator.uniform() < probability ? T(0) : kept;
      raw<T>(y)[i] = raw<T>(x)[i] * raw<T>(mask)[i];
    }
  });
  return record("dropout", y, {x}, {mask}, [](Gradients& g) {
    for_floating("backward", g.out().dtype(), [&]<class T>() {
      add_gradient<T>(
          g, 0, [](T d, T m) { return d * m; }, g.out().shape(), view<const T>(g.out()),
          view<const T>(g.saved(0)));
    });
  });
}

}  // namespace gradus
