#include <gradus/autograd/fused.hpp>
#include <gradus/autograd/tape.hpp>

#include <algorithm>
#include <array>

#include "kernels/dispatch.hpp"
#include "kernels/gru.hpp"
#include "ops/recurrence.hpp"

// Bound by the product W_hh h, whose weights are read anew at every step; the rest is a fraction of it.
namespace gradus {
namespace {

// What the backward pass reads of every packed row.
struct Kept {
  Tensor gates;     // r, z, n and W_hn h + b_hn, (N, 4H)
  Tensor previous;  // the state before, (N, H)
};

// y (N + B, H): the states, and then each sequence's last.
template <class T>
void run_forward(const Tensor& x_parts, const Tensor& weight_hh, const Tensor& bias_hh, const Tensor& h_0,
                 const Packing& packing, bool reverse, const RecurrenceSizes& sizes, const Tensor& y,
                 const Kept& kept) {
  const std::int64_t H = sizes.H;
  const StepMatrix<T> W_t(Layout::transposed, weight_hh, packing);
  for_each_share(packing, 3 * H * H * sizeof(T), [&](std::int64_t first, std::int64_t last) {
    const Tensor state = empty({last - first, H}, y.dtype());  // of each rank now
    const Tensor h_part = empty({last - first, 3 * H}, y.dtype());
    const Tensor spare = kept.gates.defined() ? Tensor() : empty({last - first, 4 * H}, y.dtype());
    T* const h = raw<T>(state);
    copy_to_ranks(packing, first, last, H, raw<T>(h_0), h);
    for_each_step(packing, reverse, [&](std::int64_t t) {
      const StepRows rows(packing, t, first, last);
      if (rows.size == 0) return;
      T* const u = raw<T>(h_part);
      W_t.multiply(rows.size, {h, H}, added_bias<T>(bias_hh), {u, 3 * H});
      if (kept.previous.defined()) std::copy_n(h, rows.size * H, raw<T>(kept.previous) + rows.offset * H);
      T* const gates = kept.gates.defined() ? raw<T>(kept.gates) + rows.offset * 4 * H : raw<T>(spare);
      parallel_for(rows.size, grain(H), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t r = begin; r < end; ++r) {
          T* const after = raw<T>(y) + (rows.offset + r) * H;
          kernels::gru_row_keeping(H, raw<T>(x_parts) + (rows.offset + r) * 3 * H, u + r * 3 * H, h + r * H,
                                   after, gates + r * 4 * H);
          std::copy_n(after, H, h + r * H);
        }
      });
    });
    copy_from_ranks(packing, first, last, H, h, raw<T>(y) + sizes.N * H);
  });
}

// The gradients at the arguments of the gates: `at_x` (N, 3H) of r, z and n, and `at_u` (N, 3H), where the
// last is that of n times r; and at h_0.
template <class T>
void run_backward(const Tensor& dy, const Tensor& weight_hh, const Packing& packing, bool reverse,
                  const RecurrenceSizes& sizes, const Tensor& gates, const Tensor& previous,
                  const Tensor& at_x, const Tensor& at_u, const Tensor& at_h_0) {
  const std::int64_t H = sizes.H;
  const StepMatrix<T> W(Layout::plain, weight_hh, packing);
  for_each_share(packing, 3 * H * H * sizeof(T), [&](std::int64_t first, std::int64_t last) {
    const Tensor at_state = empty({last - first, H}, dy.dtype());  // of each rank, from what came later
    const Tensor at_y = empty({last - first, H}, dy.dtype());      // with what comes from outside
    T* const d = raw<T>(at_y);
    T* const dh = raw<T>(at_state);
    copy_to_ranks(packing, first, last, H, raw<T>(dy) + sizes.N * H, dh);
    for_each_step(packing, !reverse, [&](std::int64_t t) {
      const StepRows rows(packing, t, first, last);
      if (rows.size == 0) return;
      T* const du = raw<T>(at_u) + rows.offset * 3 * H;
      parallel_for(rows.size, grain(H), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t r = begin; r < end; ++r) {
          const std::int64_t row = rows.offset + r;
          std::copy_n(dh + r * H, H, d + r * H);
          math::add(H, raw<T>(dy) + row * H, d + r * H);
          kernels::gru_backward_row(H, raw<T>(gates) + row * 4 * H, raw<T>(previous) + row * H, d + r * H,
                                    raw<T>(at_x) + row * 3 * H, du + r * 3 * H, dh + r * H);
        }
      });
      W.add(rows.size, {du, 3 * H}, {dh, H});
    });
    if (at_h_0.defined()) copy_from_ranks(packing, first, last, H, dh, raw<T>(at_h_0));
  });
}

}  // namespace

GRUStates gru_sequence(const Tensor& x_parts, const Tensor& weight_hh, const Tensor& bias_hh,
                       const Tensor& h_0, const Packing& packing, bool reverse) {
  const RecurrenceSizes sizes =
      check_recurrence("gru_sequence", 3, x_parts, weight_hh, bias_hh, {{"h_0", h_0}}, packing);
  const auto [N, B, H] = sizes;
  const Dtype dtype = x_parts.dtype();
  Kept kept;
  if (keeps_tape(std::array{x_parts, weight_hh, bias_hh, h_0})) {
    kept = {empty({N, 4 * H}, dtype), empty({N, H}, dtype)};
  }
  const Tensor y = empty({N + B, H}, dtype);
  for_floating("gru_sequence", dtype, [&]<class T>() {
    run_forward<T>(x_parts, weight_hh, bias_hh, h_0, packing, reverse, sizes, y, kept);
  });
  const auto backward = [packing, reverse, sizes](Gradients& g) {
    const Tensor &weight = g.saved(0), &gates = g.saved(1), &previous = g.saved(2);
    const std::int64_t width = 3 * sizes.H;
    const Dtype type = weight.dtype();
    Tensor at_x = empty({sizes.N, width}, type), at_u = empty({sizes.N, width}, type);
    Tensor at_h_0 = g.wants(3) ? empty({sizes.B, sizes.H}, type) : Tensor();
    for_floating("backward", type, [&]<class T>() {
      run_backward<T>(g.out(), weight, packing, reverse, sizes, gates, previous, at_x, at_u, at_h_0);
      add_weight_gradients<T>(g, at_u, previous);
    });
    if (g.wants(0)) g.add(0, std::move(at_x));
    if (g.wants(3)) g.add(3, std::move(at_h_0));
  };
  const Tensor states = record("gru_sequence", y, {x_parts, weight_hh, bias_hh, h_0},
                               {weight_hh, kept.gates, kept.previous}, backward);
  return {states.slice(0, N), states.slice(N, N + B)};
}

}  // namespace gradus
