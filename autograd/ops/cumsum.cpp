#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/tape.hpp>

#include "kernels/dispatch.hpp"
#include "kernels/lanes.hpp"
#include "memory/storage.hpp"

namespace gradus {

Tensor cumsum(const Tensor& x, int axis) {
  axis = checked_axis("cumsum", x.shape(), axis);
  const Lanes lanes(x.shape(), axis);
  Tensor y = empty(x.shape(), x.dtype());
  for_floating("cumsum", x.dtype(), [&]<class T>() {
    lanes.for_each([&](std::int64_t, std::int64_t first) {
      double total = 0;
      for (std::int64_t i = 0; i < lanes.n; ++i) {
        total += static_cast<double>(raw<T>(x)[first + i * lanes.inner]);
        raw<T>(y)[first + i * lanes.inner] = static_cast<T>(total);
      }
    });
  });
  return record("cumsum", y, {x}, {}, typed([lanes]<class T>(Gradients& g) {
                  lanes.for_each([&](std::int64_t, std::int64_t first) {
                    double total = 0;  // gradient of x_i, which is a term of y_i and of all later y
                    for (std::int64_t i = lanes.n - 1; i >= 0; --i) {
                      total += static_cast<double>(raw<T>(g.out())[first + i * lanes.inner]);
                      raw<T>(g.in(0))[first + i * lanes.inner] += static_cast<T>(total);
                    }
                  });
                }));
}

}  // namespace gradus
