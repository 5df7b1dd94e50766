#pragma once

#include <gradus/autograd/fused.hpp>
#include <gradus/autograd/tape.hpp>
#include <gradus/autograd/tensor.hpp>

#include <algorithm>
#include <cstdint>

#include "kernels/gru.hpp"
#include "kernels/lstm.hpp"
#include "kernels/math.hpp"
#include "recurrence.hpp"

/// The cells of the fused recurrences. Each cell processes the m rows of one step, and has these members:
///
///     gates      G: the input part W_ih x + b_ih is (m, G·H)
///     parts      number of state tensors: 1 for {h}, 2 for {h, c}
///     kept       K: Forward stores K·H numbers per row for Backward
///     previous   position of the old h in these K·H numbers, in units of H
///     shares_u   true if W_hh h + b_hh has the same gradient as W_ih x + b_ih
///     Forward    (m, x, state, row, spare) advances the state, given the input part x, and writes the K·H
///                numbers of each row to `row`; spare (m, G·H)
///     Backward   (m, row, d, state, at_x, at_u, spare): from d (m, H), the total gradient of h after the
///                step, writes at_x and, unless shares_u, at_u: the gradients of W_ih x + b_ih and
///                W_hh h + b_hh. On entry, state.c of an LSTM holds the gradient of c after the step. `state`
///                receives the gradient of the state before the step; spare (m, H)
///     add_weight_gradients   W ← (the gradient of W_hh) + β·W; `at` is the gradient of W_hh h + b_hh for all
///                rows
namespace gradus::cells {

/// The rows of a state, or of a state's gradient, at one step.
template <class T>
struct State {
  T *h, *c;  // (m, H) each
};

/// Rows [first, first + n) of a weight. They get the weight's node, so that a PackWeights packs them like a
/// parameter.
inline Tensor rows_of_weight(const Tensor& weight, std::int64_t first, std::int64_t n) {
  Tensor rows = view_of(weight, first * weight.size(1), {n, weight.size(1)});
  rows.impl().node = weight.impl().node;
  return rows;
}

/// W ← atᵀ·x + β·W for at (N, outputs), x (N, inputs) and W (outputs, inputs). If `at` is the gradient of
/// x·Wᵀ, then atᵀ·x is the gradient of W.
template <class T>
void add_product(std::int64_t N, std::int64_t outputs, std::int64_t inputs, Rows<const T> at, Rows<const T> x,
                 int beta, Rows<T> W) {
  gemm<T>(Layout::transposed, Layout::plain, outputs, inputs, N, at, x, T(beta), W);
}

/// PyTorch's gated recurrent unit (gru_update in fused.hpp). Forward stores [r; z; n; W_hn h + b_hn; h] for
/// each row, where h is the state before the step.
template <class T>
struct Gru {
  static constexpr std::int64_t gates = 3, parts = 1, kept = 5, previous = 4;
  static constexpr bool shares_u = false;

  struct Forward {
    std::int64_t H;
    StepMatrix<T> W;
    Addend<T> bias;
    Forward(const Tensor& weight, const Tensor& bias_hh, const Packing& packing)
        : H(weight.size(1)), W(Layout::transposed, weight, packing), bias(added_bias<T>(bias_hh)) {}
    void operator()(std::int64_t m, const T* x, State<T> state, T* row, T* spare) const {
      W.multiply(m, {state.h, H}, bias, {spare, 3 * H});
      for_each_row(m, H, [&](std::int64_t r) {
        T *const h = state.h + r * H, *const k = row + r * kept * H, *const before = k + previous * H;
        std::copy_n(h, H, before);
        kernels::gru_row(H, x + r * 3 * H, spare + r * 3 * H, before, h, k);
      });
    }
  };

  struct Backward {
    std::int64_t H;
    StepMatrix<T> W;
    Backward(const Tensor& weight, const Packing& packing)
        : H(weight.size(1)), W(Layout::plain, weight, packing) {}
    void operator()(std::int64_t m, const T* row, const T* d, State<T> state, T* at_x, T* at_u, T*) const {
      for_each_row(m, H, [&](std::int64_t r) {
        const T* const k = row + r * kept * H;
        kernels::gru_backward_row(H, k, k + previous * H, d + r * H, at_x + r * 3 * H, at_u + r * 3 * H,
                                  state.h + r * H);
      });
      W.add(m, {at_u, 3 * H}, {state.h, H});
    }
  };

  static void add_weight_gradients(std::int64_t N, std::int64_t H, const T* row, const T* at, int beta,
                                   T* W) {
    add_product<T>(N, 3 * H, H, {at, 3 * H}, {row + previous * H, kept * H}, beta, {W, H});
  }
};

/// The original gated recurrent unit applies the reset gate before the product (recurrent_sequence in
/// fused.hpp). Forward stores [r; z; n; h; r ∘ h] for each row.
template <class T>
struct OriginalGru {
  static constexpr std::int64_t gates = 3, parts = 1, kept = 5, previous = 3;
  static constexpr bool shares_u = true;

  struct Forward {
    std::int64_t H;
    Tensor upper, lower;  // upper: W_hr and W_hz; lower: W_hn
    StepMatrix<T> W_rz, W_n;
    Addend<T> b_rz, b_n;
    Forward(const Tensor& weight, const Tensor& bias, const Packing& packing)
        : H(weight.size(1)),
          upper(rows_of_weight(weight, 0, 2 * H)),
          lower(rows_of_weight(weight, 2 * H, H)),
          W_rz(Layout::transposed, upper, packing),
          W_n(Layout::transposed, lower, packing),
          b_rz(added_bias<T>(bias)),
          b_n(b_rz) {
      if (bias.defined()) b_n.d.data += 2 * H;
    }
    void operator()(std::int64_t m, const T* x, State<T> state, T* row, T* spare) const {
      W_rz.multiply(m, {state.h, H}, b_rz, {spare, 2 * H});
      for_each_row(m, H, [&](std::int64_t r) {
        T* const k = row + r * kept * H;
        std::copy_n(state.h + r * H, H, k + previous * H);
        kernels::original_gru_gates(H, x + r * 3 * H, spare + r * 2 * H, k);
      });
      W_n.multiply(m, {row + 4 * H, kept * H}, b_n, {spare, H});
      for_each_row(m, H, [&](std::int64_t r) {
        kernels::original_gru_row(H, x + r * 3 * H, spare + r * H, row + r * kept * H, state.h + r * H);
      });
    }
  };

  struct Backward {
    std::int64_t H;
    Tensor upper, lower;
    StepMatrix<T> W_rz, W_n;
    Backward(const Tensor& weight, const Packing& packing)
        : H(weight.size(1)),
          upper(rows_of_weight(weight, 0, 2 * H)),
          lower(rows_of_weight(weight, 2 * H, H)),
          W_rz(Layout::plain, upper, packing),
          W_n(Layout::plain, lower, packing) {}
    void operator()(std::int64_t m, const T* row, const T* d, State<T> state, T* at_x, T*, T* spare) const {
      for_each_row(m, H, [&](std::int64_t r) {
        kernels::original_gru_backward_row(H, row + r * kept * H, d + r * H, at_x + r * 3 * H,
                                           state.h + r * H);
      });
      W_n.multiply(m, {at_x + 2 * H, 3 * H}, {}, {spare, H});  // the gradient of r ∘ h
      for_each_row(m, H, [&](std::int64_t r) {
        kernels::original_gru_backward_gates(H, row + r * kept * H, spare + r * H, at_x + r * 3 * H,
                                             state.h + r * H);
      });
      W_rz.add(m, {at_x, 3 * H}, {state.h, H});
    }
  };

  static void add_weight_gradients(std::int64_t N, std::int64_t H, const T* row, const T* at, int beta,
                                   T* W) {
    add_product<T>(N, 2 * H, H, {at, 3 * H}, {row + previous * H, kept * H}, beta, {W, H});
    add_product<T>(N, H, H, {at + 2 * H, 3 * H}, {row + 4 * H, kept * H}, beta, {W + 2 * H * H, H});
  }
};

/// The long short-term memory (lstm_update in fused.hpp). Forward stores [i; f; g; o; tanh c′; c; h] for each
/// row.
template <class T>
struct Lstm {
  static constexpr std::int64_t gates = 4, parts = 2, kept = 7, previous = 6;
  static constexpr bool shares_u = true;

  struct Forward {
    std::int64_t H;
    StepMatrix<T> W;
    Addend<T> bias;
    Forward(const Tensor& weight, const Tensor& bias_hh, const Packing& packing)
        : H(weight.size(1)), W(Layout::transposed, weight, packing), bias(added_bias<T>(bias_hh)) {}
    void operator()(std::int64_t m, const T* x, State<T> state, T* row, T* spare) const {
      W.multiply(m, {state.h, H}, bias, {spare, 4 * H});
      for_each_row(m, H, [&](std::int64_t r) {
        T *const h = state.h + r * H, *const c = state.c + r * H, *const k = row + r * kept * H;
        std::copy_n(c, H, k + 5 * H);
        std::copy_n(h, H, k + previous * H);
        kernels::lstm_row(H, x + r * 4 * H, spare + r * 4 * H, k + 5 * H, h, c, k);
      });
    }
  };

  struct Backward {
    std::int64_t H;
    StepMatrix<T> W;
    Backward(const Tensor& weight, const Packing& packing)
        : H(weight.size(1)), W(Layout::plain, weight, packing) {}
    void operator()(std::int64_t m, const T* row, const T* d, State<T> state, T* at_x, T*, T* spare) const {
      for_each_row(m, H, [&](std::int64_t r) {
        const T* const k = row + r * kept * H;
        T *const c = state.c + r * H, *const at_c = spare + r * H;
        std::copy_n(c, H, at_c);
        kernels::lstm_backward_row(H, k, k + 5 * H, d + r * H, at_c, at_x + r * 4 * H, c);
      });
      W.multiply(m, {at_x, 4 * H}, {}, {state.h, H});
    }
  };

  static void add_weight_gradients(std::int64_t N, std::int64_t H, const T* row, const T* at, int beta,
                                   T* W) {
    add_product<T>(N, 4 * H, H, {at, 4 * H}, {row + previous * H, kept * H}, beta, {W, H});
  }
};

/// Calls f<Cell>() and returns its result. Cell is the template that implements `cell`.
template <class F>
auto with_cell(GatedCell cell, const F& f) {
  switch (cell) {
    case GatedCell::gru:
      return f.template operator()<Gru>();
    case GatedCell::original_gru:
      return f.template operator()<OriginalGru>();
    case GatedCell::lstm:
      break;
  }
  return f.template operator()<Lstm>();
}

}  // namespace gradus::cells
