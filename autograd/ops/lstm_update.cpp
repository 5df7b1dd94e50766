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

// The gates of one element.
template <class T>
struct Gates {
  T i, f, g, o;
};

// x and u are x_part and h_part at the element, whose gates lie H apart.
template <class T>
Gates<T> gates_at(std::int64_t H, const T* x, const T* u) {
  return {math::sigmoid(x[0] + u[0]), math::sigmoid(x[H] + u[H]), math::tanh(x[2 * H] + u[2 * H]),
          math::sigmoid(x[3 * H] + u[3 * H])};
}

// One row forward: x and u are its x_part and h_part, each [i; f; g; o] of H, c its cell before.
template <class T>
void forward_row(std::int64_t H, const T* x, const T* u, const T* c, T* __restrict new_h,
                 T* __restrict new_c) {
  for (std::int64_t k = 0; k < H; ++k) {
    const auto [i, f, g, o] = gates_at(H, x + k, u + k);
    new_c[k] = f * c[k] + i * g;
    new_h[k] = o * math::tanh(new_c[k]);
  }
}

// Gradients of one row from d_h and d_c, those of its h′ and c′: at the arguments of the gates, and at c.
// They go to buffers that overlap nothing, without which the loop would not vectorise. The gates are computed
// again: that is cheaper than keeping them.
template <class T>
void backward_row(std::int64_t H, const T* x, const T* u, const T* c, const T* d_h, const T* d_c,
                  T* __restrict at_i, T* __restrict at_f, T* __restrict at_g, T* __restrict at_o,
                  T* __restrict at_c) {
  for (std::int64_t k = 0; k < H; ++k) {
    const auto [i, f, g, o] = gates_at(H, x + k, u + k);
    const T y = math::tanh(f * c[k] + i * g);
    const T d = d_c[k] + d_h[k] * o * (T(1) - y * y);
    at_i[k] = d * g * i * (T(1) - i);
    at_f[k] = d * c[k] * f * (T(1) - f);
    at_g[k] = d * i * (T(1) - g * g);
    at_o[k] = d_h[k] * y * o * (T(1) - o);
    at_c[k] = d * f;
  }
}

void check(const Tensor& x_part, const Tensor& h_part, const Tensor& h, const Tensor& c) {
  if (h.rank() != 2 || c.shape() != h.shape() || x_part.shape() != Shape{h.size(0), 4 * h.size(1)} ||
      h_part.shape() != x_part.shape()) {
    fail("lstm_update", "needs parts (B, 4H) and states (B, H), and got ", x_part.shape(), ", ",
         h_part.shape(), ", ", h.shape(), " and ", c.shape());
  }
  for (const Tensor* other : {&h_part, &h, &c}) check_same_dtype("lstm_update", x_part, *other);
}

}  // namespace

Tensor lstm_update(const Tensor& x_part, const Tensor& h_part, const Tensor& h, const Tensor& c,
                   const Tensor& lengths, std::int64_t step) {
  check(x_part, h_part, h, c);
  const std::int64_t B = h.size(0), H = h.size(1);
  check_lengths("lstm_update", lengths, B, std::numeric_limits<std::int64_t>::max());
  const auto frozen = [step](const Tensor& of, std::int64_t row) {
    return length_of(of, row, step + 1) <= step;
  };
  Tensor y = empty({2, B, H}, h.dtype());
  for_floating("lstm_update", h.dtype(), [&]<class T>() {
    for (std::int64_t b = 0; b < B; ++b) {
      T* const new_h = raw<T>(y) + b * H;
      T* const new_c = new_h + B * H;
      if (frozen(lengths, b)) {
        std::copy_n(raw<T>(h) + b * H, H, new_h);
        std::copy_n(raw<T>(c) + b * H, H, new_c);
        continue;
      }
      forward_row(H, raw<T>(x_part) + b * 4 * H, raw<T>(h_part) + b * 4 * H, raw<T>(c) + b * H, new_h, new_c);
    }
  });
  const auto backward = [=](Gradients& g) {
    for_floating("backward", g.out().dtype(), [&]<class T>() {
      std::vector<T> row(static_cast<std::size_t>(5 * H));
      T* const at_gates = row.data();
      T* const at_c = at_gates + 4 * H;
      for (std::int64_t b = 0; b < B; ++b) {
        const T* d_h = raw<T>(g.out()) + b * H;
        const T* d_c = d_h + B * H;
        if (frozen(g.saved(3), b)) {
          if (g.wants(2)) math::add(H, d_h, raw<T>(g.in(2)) + b * H);
          if (g.wants(3)) math::add(H, d_c, raw<T>(g.in(3)) + b * H);
          continue;
        }
        backward_row(H, raw<T>(g.saved(0)) + b * 4 * H, raw<T>(g.saved(1)) + b * 4 * H,
                     raw<T>(g.saved(2)) + b * H, d_h, d_c, at_gates, at_gates + H, at_gates + 2 * H,
                     at_gates + 3 * H, at_c);
        if (g.wants(0)) math::add(4 * H, at_gates, raw<T>(g.in(0)) + b * 4 * H);
        if (g.wants(1)) math::add(4 * H, at_gates, raw<T>(g.in(1)) + b * 4 * H);
        if (g.wants(3)) math::add(H, at_c, raw<T>(g.in(3)) + b * H);
      }
    });
  };
  return record("lstm_update", y, {x_part, h_part, h, c}, {x_part, h_part, c, lengths}, backward);
}

}  // namespace gradus
