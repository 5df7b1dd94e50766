#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/fused.hpp>
#include <gradus/autograd/tape.hpp>

#include <algorithm>
#include <limits>
#include <vector>

#include "kernels/dispatch.hpp"
#include "kernels/gru.hpp"
#include "kernels/share.hpp"
#include "storage.hpp"

namespace gradus {
namespace {

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
    const T *x = raw<T>(x_part), *u = raw<T>(h_part), *before = raw<T>(h);
    T* const after = raw<T>(y);
    for_each_range(B, 3 * H, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t b = begin; b < end; ++b) {
        if (frozen(lengths, b)) {
          std::copy_n(before + b * H, H, after + b * H);
        } else {
          kernels::gru_row(H, x + b * 3 * H, u + b * 3 * H, before + b * H, after + b * H);
        }
      }
    });
  });
  const auto backward = [=](Gradients& g) {
    for_floating("backward", g.out().dtype(), [&]<class T>() {
      const T *x = raw<T>(g.saved(0)), *u = raw<T>(g.saved(1)), *before = raw<T>(g.saved(2));
      T* const to_x = g.wants(0) ? raw<T>(g.in(0)) : nullptr;
      T* const to_u = g.wants(1) ? raw<T>(g.in(1)) : nullptr;
      T* const to_h = g.wants(2) ? raw<T>(g.in(2)) : nullptr;
      for_each_range(B, 3 * H, [&](std::int64_t begin, std::int64_t end) {
        std::vector<T> row(static_cast<std::size_t>(12 * H));
        T* const kept = row.data();
        T* const at_x = kept + 4 * H;
        T* const at_u = at_x + 3 * H;
        T* const at_h = at_u + 3 * H;
        for (std::int64_t b = begin; b < end; ++b) {
          const T* d = raw<T>(g.out()) + b * H;
          if (frozen(g.saved(3), b)) {
            if (to_h) math::add(H, d, to_h + b * H);
            continue;
          }
          // The gates are computed again: that is cheaper than keeping them.
          kernels::gru_row_keeping(H, x + b * 3 * H, u + b * 3 * H, before + b * H, at_h + H, kept);
          kernels::gru_backward_row(H, kept, before + b * H, d, at_x, at_u, at_h);
          if (to_x) math::add(3 * H, at_x, to_x + b * 3 * H);
          if (to_u) math::add(3 * H, at_u, to_u + b * 3 * H);
          if (to_h) math::add(H, at_h, to_h + b * H);
        }
      });
    });
  };
  return record("gru_update", y, {x_part, h_part, h}, {x_part, h_part, h, lengths}, backward);
}

}  // namespace gradus
