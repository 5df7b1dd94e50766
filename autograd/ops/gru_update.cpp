#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/fused.hpp>
#include <gradus/autograd/tape.hpp>

#include <algorithm>
#include <limits>
#include <vector>

#include "kernels/dispatch.hpp"
#include "kernels/math.hpp"
#include "storage.hpp"

namespace gradus {
namespace {

// One row forward: x and u are its x_part and h_part, each [r; z; n] of H, h its state before and y after.
template <class T>
void forward_row(std::int64_t H, const T* x, const T* u, const T* h, T* __restrict y) {
  for (std::int64_t i = 0; i < H; ++i) {
    const T r = math::sigmoid(x[i] + u[i]);
    const T z = math::sigmoid(x[H + i] + u[H + i]);
    const T n = math::tanh(x[2 * H + i] + r * u[2 * H + i]);
    y[i] = n + z * (h[i] - n);
  }
}

// Gradients of one row from d = d(loss)/d(y): at the arguments of r, z and n, at h_part's share of n's, and
// at h. They go to buffers that overlap nothing, without which the loop would not vectorise. The gates are
// computed again: that is cheaper than keeping them.
template <class T>
void backward_row(std::int64_t H, const T* x, const T* u, const T* h, const T* d, T* __restrict at_r,
                  T* __restrict at_z, T* __restrict at_n, T* __restrict at_u_n, T* __restrict at_h) {
  for (std::int64_t i = 0; i < H; ++i) {
    const T r = math::sigmoid(x[i] + u[i]);
    const T z = math::sigmoid(x[H + i] + u[H + i]);
    const T n = math::tanh(x[2 * H + i] + r * u[2 * H + i]);
    const T dn = d[i] * (T(1) - z) * (T(1) - n * n);
    at_r[i] = dn * u[2 * H + i] * r * (T(1) - r);
    at_z[i] = d[i] * (h[i] - n) * z * (T(1) - z);
    at_n[i] = dn;
    at_u_n[i] = dn * r;
    at_h[i] = d[i] * z;
  }
}

void check(const Tensor& x_part, const Tensor& h_part, const Tensor& h) {
  if (h.rank() != 2 || x_part.shape() != Shape{h.size(0), 3 * h.size(1)} ||
      h_part.shape() != x_part.shape()) {
    fail("gru_update", "needs parts (B, 3H) and a state (B, H), and got ", x_part.shape(), ", ",
         h_part.shape(), " and ", h.shape());
  }
  check_same_dtype("gru_update", x_part, h_part);
  check_same_dtype("gru_update", x_part, h);
}

}  // namespace

Tensor gru_update(const Tensor& x_part, const Tensor& h_part, const Tensor& h, const Tensor& lengths,
                  std::int64_t step) {
  check(x_part, h_part, h);
  const std::int64_t B = h.size(0), H = h.size(1);
  check_lengths("gru_update", lengths, B, std::numeric_limits<std::int64_t>::max());
  const auto frozen = [step](const Tensor& of, std::int64_t row) {
    return length_of(of, row, step + 1) <= step;
  };
  Tensor y = empty({B, H}, h.dtype());
  for_floating("gru_update", h.dtype(), [&]<class T>() {
    for (std::int64_t b = 0; b < B; ++b) {
      const T* before = raw<T>(h) + b * H;
      T* after = raw<T>(y) + b * H;
      if (frozen(lengths, b)) {
        std::copy_n(before, H, after);
        continue;
      }
      forward_row(H, raw<T>(x_part) + b * 3 * H, raw<T>(h_part) + b * 3 * H, before, after);
    }
  });
  const auto backward = [=](Gradients& g) {
    for_floating("backward", g.out().dtype(), [&]<class T>() {
      std::vector<T> row(static_cast<std::size_t>(5 * H));
      T* const at_r = row.data();
      T* const at_u_n = at_r + 3 * H;
      T* const at_h = at_u_n + H;
      for (std::int64_t b = 0; b < B; ++b) {
        const T* d = raw<T>(g.out()) + b * H;
        if (frozen(g.saved(3), b)) {
          if (g.wants(2)) math::add(H, d, raw<T>(g.in(2)) + b * H);
          continue;
        }
        backward_row(H, raw<T>(g.saved(0)) + b * 3 * H, raw<T>(g.saved(1)) + b * 3 * H,
                     raw<T>(g.saved(2)) + b * H, d, at_r, at_r + H, at_r + 2 * H, at_u_n, at_h);
        if (g.wants(0)) math::add(3 * H, at_r, raw<T>(g.in(0)) + b * 3 * H);
        if (g.wants(1)) {
          math::add(2 * H, at_r, raw<T>(g.in(1)) + b * 3 * H);
          math::add(H, at_u_n, raw<T>(g.in(1)) + b * 3 * H + 2 * H);
        }
        if (g.wants(2)) math::add(H, at_h, raw<T>(g.in(2)) + b * H);
      }
    });
  };
  return record("gru_update", y, {x_part, h_part, h}, {x_part, h_part, h, lengths}, backward);
}

}  // namespace gradus
