#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/fused.hpp>
#include <gradus/autograd/tape.hpp>

#include <algorithm>
#include <limits>
#include <vector>

#include "kernels/dispatch.hpp"
#include "kernels/lstm.hpp"
#include "kernels/share.hpp"
#include "storage.hpp"

namespace gradus {
namespace {

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
    const T *x = raw<T>(x_part), *u = raw<T>(h_part), *old_h = raw<T>(h), *old_c = raw<T>(c);
    T* const new_h = raw<T>(y);
    T* const new_c = new_h + B * H;
    for_each_range(B, 5 * H, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t b = begin; b < end; ++b) {
        if (frozen(lengths, b)) {
          std::copy_n(old_h + b * H, H, new_h + b * H);
          std::copy_n(old_c + b * H, H, new_c + b * H);
        } else {
          kernels::lstm_row(H, x + b * 4 * H, u + b * 4 * H, old_c + b * H, new_h + b * H, new_c + b * H);
        }
      }
    });
  });
  const auto backward = [=](Gradients& g) {
    for_floating("backward", g.out().dtype(), [&]<class T>() {
      const T *x = raw<T>(g.saved(0)), *u = raw<T>(g.saved(1)), *old_c = raw<T>(g.saved(2));
      T* const to_x = g.wants(0) ? raw<T>(g.in(0)) : nullptr;
      T* const to_u = g.wants(1) ? raw<T>(g.in(1)) : nullptr;
      T* const to_h = g.wants(2) ? raw<T>(g.in(2)) : nullptr;
      T* const to_c = g.wants(3) ? raw<T>(g.in(3)) : nullptr;
      for_each_range(B, 5 * H, [&](std::int64_t begin, std::int64_t end) {
        std::vector<T> row(static_cast<std::size_t>(12 * H));
        T* const kept = row.data();
        T* const at_gates = kept + 5 * H;
        T* const at_c = at_gates + 4 * H;
        for (std::int64_t b = begin; b < end; ++b) {
          const T* d_h = raw<T>(g.out()) + b * H;
          const T* d_c = d_h + B * H;
          if (frozen(g.saved(3), b)) {
            if (to_h) math::add(H, d_h, to_h + b * H);
            if (to_c) math::add(H, d_c, to_c + b * H);
            continue;
          }
          // The gates are computed again: that is cheaper than keeping them.
          kernels::lstm_row_keeping(H, x + b * 4 * H, u + b * 4 * H, old_c + b * H, at_c + H, at_c + 2 * H,
                                    kept);
          kernels::lstm_backward_row(H, kept, old_c + b * H, d_h, d_c, at_gates, at_c);
          if (to_x) math::add(4 * H, at_gates, to_x + b * 4 * H);
          if (to_u) math::add(4 * H, at_gates, to_u + b * 4 * H);
          if (to_c) math::add(H, at_c, to_c + b * H);
        }
      });
    });
  };
  return record("lstm_update", y, {x_part, h_part, h, c}, {x_part, h_part, c, lengths}, backward);
}

}  // namespace gradus
