#include <gradus/autograd/fused.hpp>
#include <gradus/autograd/tape.hpp>

#include <algorithm>
#include <array>
#include <utility>

#include "kernels/dispatch.hpp"
#include "kernels/lstm.hpp"
#include "ops/recurrence.hpp"

// Bound by the product W_hh h, like gru_sequence.
namespace gradus {
namespace {

// What the backward pass reads of every packed row.
struct Kept {
  Tensor gates;     // i, f, g, o and tanh c′, (N, 5H)
  Tensor previous;  // h before, (N, H)
  Tensor cells;     // c before, (N, H)
};

// y (N + 2B, H): h after each step, and then each sequence's last h and last c.
template <class T>
void run_forward(const Tensor& x_parts, const Tensor& weight_hh, const Tensor& bias_hh, const Tensor& h_0,
                 const Tensor& c_0, const Packing& packing, bool reverse, const RecurrenceSizes& sizes,
                 const Tensor& y, const Kept& kept) {
  const std::int64_t H = sizes.H;
  const bool keeps = kept.gates.defined();
  const StepMatrix<T> W_t(Layout::transposed, weight_hh, packing);
  for_each_share(packing, 4 * H * H * sizeof(T), [&](std::int64_t first, std::int64_t last) {
    const std::int64_t n = last - first;
    const Tensor hidden = empty({n, H}, y.dtype()), cell = empty({n, H}, y.dtype());  // of each rank now
    const Tensor h_part = empty({n, 4 * H}, y.dtype());
    const Tensor spare_gates = keeps ? Tensor() : empty({n, 5 * H}, y.dtype());
    const Tensor spare_cells = keeps ? Tensor() : empty({n, H}, y.dtype());
    T *const h = raw<T>(hidden), *const c = raw<T>(cell), *const u = raw<T>(h_part);
    copy_to_ranks(packing, first, last, H, raw<T>(h_0), h);
    copy_to_ranks(packing, first, last, H, raw<T>(c_0), c);
    for_each_step(packing, reverse, [&](std::int64_t t) {
      const StepRows rows(packing, t, first, last);
      if (rows.size == 0) return;
      W_t.multiply(rows.size, {h, H}, added_bias<T>(bias_hh), {u, 4 * H});
      if (keeps) std::copy_n(h, rows.size * H, raw<T>(kept.previous) + rows.offset * H);
      T* const gates = keeps ? raw<T>(kept.gates) + rows.offset * 5 * H : raw<T>(spare_gates);
      T* const before = keeps ? raw<T>(kept.cells) + rows.offset * H : raw<T>(spare_cells);
      parallel_for(rows.size, grain(H), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t r = begin; r < end; ++r) {
          T* const after = raw<T>(y) + (rows.offset + r) * H;
          std::copy_n(c + r * H, H, before + r * H);
          kernels::lstm_row_keeping(H, raw<T>(x_parts) + (rows.offset + r) * 4 * H, u + r * 4 * H,
                                    before + r * H, after, c + r * H, gates + r * 5 * H);
          std::copy_n(after, H, h + r * H);
        }
      });
    });
    copy_from_ranks(packing, first, last, H, h, raw<T>(y) + sizes.N * H);
    copy_from_ranks(packing, first, last, H, c, raw<T>(y) + (sizes.N + sizes.B) * H);
  });
}

// The gradients at the arguments of the gates, (N, 4H), which are x_parts' and W_hh h's alike; and, where
// they are wanted, at h_0 and c_0.
struct Wanted {
  Tensor at_gates, at_h_0, at_c_0;
};

template <class T>
void run_backward(const Tensor& dy, const Tensor& weight_hh, const Packing& packing, bool reverse,
                  const RecurrenceSizes& sizes, const Kept& kept, const Wanted& wanted) {
  const std::int64_t H = sizes.H;
  const StepMatrix<T> W(Layout::plain, weight_hh, packing);
  for_each_share(packing, 4 * H * H * sizeof(T), [&](std::int64_t first, std::int64_t last) {
    const std::int64_t n = last - first;
    const auto rows_of_ranks = [&] { return empty({n, H}, dy.dtype()); };
    const Tensor at_hidden = rows_of_ranks(), at_cell = rows_of_ranks();  // from what came later
    const Tensor at_h = rows_of_ranks(), at_c = rows_of_ranks();          // h's with what comes from outside
    T *const dh = raw<T>(at_hidden), *const dc = raw<T>(at_cell);
    copy_to_ranks(packing, first, last, H, raw<T>(dy) + sizes.N * H, dh);
    copy_to_ranks(packing, first, last, H, raw<T>(dy) + (sizes.N + sizes.B) * H, dc);
    for_each_step(packing, !reverse, [&](std::int64_t t) {
      const StepRows rows(packing, t, first, last);
      if (rows.size == 0) return;
      T* const d_gates = raw<T>(wanted.at_gates) + rows.offset * 4 * H;
      parallel_for(rows.size, grain(H), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t r = begin; r < end; ++r) {
          const std::int64_t row = rows.offset + r;
          T *const d_h = raw<T>(at_h) + r * H, *const d_c = raw<T>(at_c) + r * H;
          std::copy_n(dh + r * H, H, d_h);
          math::add(H, raw<T>(dy) + row * H, d_h);
          std::copy_n(dc + r * H, H, d_c);
          kernels::lstm_backward_row(H, raw<T>(kept.gates) + row * 5 * H, raw<T>(kept.cells) + row * H, d_h,
                                     d_c, d_gates + r * 4 * H, dc + r * H);
        }
      });
      W.multiply(rows.size, {d_gates, 4 * H}, {}, {dh, H});
    });
    if (wanted.at_h_0.defined()) copy_from_ranks(packing, first, last, H, dh, raw<T>(wanted.at_h_0));
    if (wanted.at_c_0.defined()) copy_from_ranks(packing, first, last, H, dc, raw<T>(wanted.at_c_0));
  });
}

}  // namespace

LSTMStates lstm_sequence(const Tensor& x_parts, const Tensor& weight_hh, const Tensor& bias_hh,
                         const Tensor& h_0, const Tensor& c_0, const Packing& packing, bool reverse) {
  const RecurrenceSizes sizes = check_recurrence("lstm_sequence", 4, x_parts, weight_hh, bias_hh,
                                                 {{"h_0", h_0}, {"c_0", c_0}}, packing);
  const auto [N, B, H] = sizes;
  const Dtype dtype = x_parts.dtype();
  Kept kept;
  if (keeps_tape(std::array{x_parts, weight_hh, bias_hh, h_0, c_0})) {
    kept = {empty({N, 5 * H}, dtype), empty({N, H}, dtype), empty({N, H}, dtype)};
  }
  const Tensor y = empty({N + 2 * B, H}, dtype);
  for_floating("lstm_sequence", dtype, [&]<class T>() {
    run_forward<T>(x_parts, weight_hh, bias_hh, h_0, c_0, packing, reverse, sizes, y, kept);
  });
  const auto backward = [packing, reverse, sizes](Gradients& g) {
    const Tensor& weight = g.saved(0);
    const Kept of_forward{g.saved(1), g.saved(2), g.saved(3)};
    const Dtype type = weight.dtype();
    const auto first_state = [&](int input) {
      return g.wants(input) ? empty({sizes.B, sizes.H}, type) : Tensor();
    };
    Wanted wanted{empty({sizes.N, 4 * sizes.H}, type), first_state(3), first_state(4)};
    for_floating("backward", type, [&]<class T>() {
      run_backward<T>(g.out(), weight, packing, reverse, sizes, of_forward, wanted);
      add_weight_gradients<T>(g, wanted.at_gates, of_forward.previous);
    });
    if (g.wants(0)) g.add(0, std::move(wanted.at_gates));
    if (g.wants(3)) g.add(3, std::move(wanted.at_h_0));
    if (g.wants(4)) g.add(4, std::move(wanted.at_c_0));
  };
  const Tensor states = record("lstm_sequence", y, {x_parts, weight_hh, bias_hh, h_0, c_0},
                               {weight_hh, kept.gates, kept.previous, kept.cells}, backward);
  return {states.slice(0, N), states.slice(N, N + B), states.slice(N + B, N + 2 * B)};
}

}  // namespace gradus
