#include <gradus/autograd/fused.hpp>
#include <gradus/autograd/tape.hpp>

#include <algorithm>
#include <limits>
#include <vector>

#include <gradus/autograd/checks.hpp>
#include "kernels/dispatch.hpp"
#include "kernels/math.hpp"
#include "storage.hpp"

namespace gradus {
namespace {

// The gates of one row. x and u are its x_part and h_part, each [r; z; n] of H.
template <class T>
struct Gates {
  const T* x;
  const T* u;
  std::int64_t H;

  T r(std::int64_t i) const { return math::sigmoid(x[i] + u[i]); }
  T z(std::int64_t i) const { return math::sigmoid(x[H + i] + u[H + i]); }
  T n(std::int64_t i, T r_i) const { return math::tanh(x[2 * H + i] + r_i * u[2 * H + i]); }
};

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
      const Gates<T> gates{raw<T>(x_part) + b * 3 * H, raw<T>(h_part) + b * 3 * H, H};
      for (std::int64_t i = 0; i < H; ++i) {
        const T z = gates.z(i);
        const T n = gates.n(i, gates.r(i));
        after[i] = n + z * (before[i] - n);
      }
    }
  });
  // The gates are computed again in backward: that is cheaper than keeping them.
  const auto backward = [=, x_part = Saved(x_part), h_part = Saved(h_part), h = Saved(h),
                         lengths = Saved(lengths)](Gradients& g) {
    for_floating("gru_update", g.out().dtype(), [&]<class T>() {
      std::vector<T> unwanted(static_cast<std::size_t>(3 * H));  // for a part that needs no gradient
      const auto target = [&](int input, std::int64_t offset) {
        return g.wants(input) ? raw<T>(g.in(input)) + offset : unwanted.data();
      };
      for (std::int64_t b = 0; b < B; ++b) {
        const T* d = raw<T>(g.out()) + b * H;
        T* dh = target(2, b * H);
        if (frozen(lengths.get(g), b)) {
          for (std::int64_t i = 0; i < H; ++i) dh[i] += d[i];
          continue;
        }
        const T* before = raw<T>(h.get(g)) + b * H;
        const Gates<T> gates{raw<T>(x_part.get(g)) + b * 3 * H, raw<T>(h_part.get(g)) + b * 3 * H, H};
        T* dx = target(0, b * 3 * H);
        T* du = target(1, b * 3 * H);
        for (std::int64_t i = 0; i < H; ++i) {
          const T r = gates.r(i);
          const T z = gates.z(i);
          const T n = gates.n(i, r);
          const T dn = d[i] * (T(1) - z) * (T(1) - n * n);  // at n's argument, as the next two at theirs
          const T dz = d[i] * (before[i] - n) * z * (T(1) - z);
          const T dr = dn * gates.u[2 * H + i] * r * (T(1) - r);
          dx[i] += dr;
          du[i] += dr;
          dx[H + i] += dz;
          du[H + i] += dz;
          dx[2 * H + i] += dn;
          du[2 * H + i] += dn * r;
          dh[i] += d[i] * z;
        }
      }
    });
  };
  return record("gru_update", y, {x_part, h_part, h}, backward);
}

}  // namespace gradus
