#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/fused.hpp>
#include <gradus/autograd/tape.hpp>

#include <algorithm>
#include <limits>
#include <vector>

#include "kernels/dispatch.hpp"
#include "kernels/lstm.hpp"
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
    for (std::int64_t b = 0; b < B; ++b) {
      T* const new_h = raw<T>(y) + b * H;
      T* const new_c = new_h + B * H;
      if (frozen(lengths, b)) {
        std::copy_n(raw<T>(h) + b * H, H, new_h);
        std::copy_n(raw<T>(c) + b * H, H, new_c);
        continue;
      }
      kernels::lstm_row(H, raw<T>(x_part) + b * 4 * H, raw<T>(h_part) + b * 4 * H, raw<T>(c) + b * H, new_h,
                        new_c);
    }
  });
  const auto backward = [=](Gradients& g) {
    for_floating("backward", g.out().dtype(), [&]<class T>() {
      std::vector<T> row(static_cast<std::size_t>(12 * H));
      T* const kept = row.data();
      T* const at_gates = kept + 5 * H;
      T* const at_c = at_gates + 4 * H;
      for (std::int64_t b = 0; b < B; ++b) {
        const T* d_h = raw<T>(g.out()) + b * H;
        const T* d_c = d_h + B * H;
        if (frozen(g.saved(3), b)) {
          if (g.wants(2)) math::add(H, d_h, raw<T>(g.in(2)) + b * H);
          if (g.wants(3)) math::add(H, d_c, raw<T>(g.in(3)) + b * H);
          continue;
        }
        // The gates are computed again: that is cheaper than keeping them.
        const T* before = raw<T>(g.saved(2)) + b * H;
        kernels::lstm_row_keeping(H, raw<T>(g.saved(0)) + b * 4 * H, raw<T>(g.saved(1)) + b * 4 * H, before,
                                  at_c + H, at_c + 2 * H, kept);
        kernels::lstm_backward_row(H, kept, before, d_h, d_c, at_gates, at_c);
        if (g.wants(0)) math::add(4 * H, at_gates, raw<T>(g.in(0)) + b * 4 * H);
        if (g.wants(1)) math::add(4 * H, at_gates, raw<T>(g.in(1)) + b * 4 * H);
        if (g.wants(3)) math::add(H, at_c, raw<T>(g.in(3)) + b * H);
      }
    });
  };
  return record("lstm_update", y, {x_part, h_part, h, c}, {x_part, h_part, c, lengths}, backward);
}

}  // namespace gradus
