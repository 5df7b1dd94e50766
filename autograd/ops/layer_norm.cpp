#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/tape.hpp>

#include <cmath>

#include "kernels/dispatch.hpp"
#include "kernels/long_sum.hpp"
#include "kernels/math.hpp"
#include "memory/storage.hpp"

namespace gradus {
namespace {

void check(const Tensor& x, const Tensor& gain, const char* what) {
  if (!gain.defined()) return;
  if (gain.shape() != Shape{x.size(-1)}) {
    fail("layer_norm", "the ", what, " is ", gain.shape(), " and must be ", Shape{x.size(-1)},
         " for the input ", x.shape());
  }
  check_same_dtype("layer_norm", x, gain);
}

}  // namespace

Tensor layer_norm(const Tensor& x, const Tensor& gain, const Tensor& bias, double epsilon) {
  if (x.rank() == 0 || x.size(-1) == 0)
    fail("layer_norm", "the last axis of ", x.shape(), " must have elements to normalise");
  check(x, gain, "gain");
  check(x, bias, "bias");
  const std::int64_t n = x.size(-1), rows = x.numel() / n;
  Tensor y = empty(x.shape(), x.dtype());
  Tensor mean = empty({rows}, x.dtype()), scale = empty({rows}, x.dtype());  // scale: 1 / √(σ² + ε)
  for_floating("layer_norm", x.dtype(), [&]<class T>() {
    const T* const gamma = gain.defined() ? raw<T>(gain) : nullptr;
    const T* const beta = bias.defined() ? raw<T>(bias) : nullptr;
    for (std::int64_t r = 0; r < rows; ++r) {
      const T* from = raw<T>(x) + r * n;
      T* to = raw<T>(y) + r * n;
      const T mu = math::sum_of<T>(n, [=](std::int64_t i) { return from[i]; }) / static_cast<T>(n);
      const T squares = math::sum_of<T>(n, [=](std::int64_t i) { return (from[i] - mu) * (from[i] - mu); });
      const T s = T(1) / std::sqrt(squares / static_cast<T>(n) + static_cast<T>(epsilon));
      for (std::int64_t i = 0; i < n; ++i) {
        const T normal = (from[i] - mu) * s;
        to[i] = (gamma != nullptr ? normal * gamma[i] : normal) + (beta != nullptr ? beta[i] : T(0));
      }
      raw<T>(mean)[r] = mu;
      raw<T>(scale)[r] = s;
    }
  });
  return record(
      "layer_norm", y, {x, gain, bias}, {x, gain, mean, scale}, typed([n, rows]<class T>(Gradients& g) {
        const T* const x_rows = raw<T>(g.saved(0));
        const T* const d_rows = raw<T>(g.out());
        const T *const means = raw<T>(g.saved(2)), *const scales = raw<T>(g.saved(3));
        const auto normal_of = [=](std::int64_t r) {
          return [from = x_rows + r * n, mu = means[r], s = scales[r]](std::int64_t i) {
            return (from[i] - mu) * s;
          };
        };
        if (g.wants(0)) {
          // x_i also acts through the μ and the σ of its row: `shift` is the part of the gradient through μ,
          // `slope` the part through σ.
          const T* const gamma = g.saved(1).defined() ? raw<T>(g.saved(1)) : nullptr;
          T* target = raw<T>(g.in(0));
          for (std::int64_t r = 0; r < rows; ++r, target += n) {
            const T* const d = d_rows + r * n;
            const auto normal = normal_of(r);
            const auto at_normal = [=](std::int64_t i) { return gamma != nullptr ? d[i] * gamma[i] : d[i]; };
            const T shift = math::sum_of<T>(n, at_normal) / static_cast<T>(n);
            const T slope = math::sum_of<T>(n, [=](std::int64_t i) { return at_normal(i) * normal(i); }) /
                            static_cast<T>(n);
            for (std::int64_t i = 0; i < n; ++i)
              target[i] += scales[r] * (at_normal(i) - shift - normal(i) * slope);
          }
        }
        const auto add_rows = [&](int input, const auto& add_row) {
          if (!g.wants(input)) return;
          kernels::add_halves(0, rows, n, raw<T>(g.in(input)),
                              [&](std::int64_t begin, std::int64_t end, T* sum) {
                                for (std::int64_t r = begin; r < end; ++r) add_row(r, sum);
                              });
        };
        add_rows(1, [&](std::int64_t r, T* sum) {
          const auto normal = normal_of(r);
          for (std::int64_t i = 0; i < n; ++i) sum[i] += d_rows[r * n + i] * normal(i);
        });
        add_rows(2, [&](std::int64_t r, T* sum) { math::add(n, d_rows + r * n, sum); });
      }));
}

}  // namespace gradus
