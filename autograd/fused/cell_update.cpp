#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/fused.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/tape.hpp>

#include <algorithm>
#include <array>
#include <vector>

#include "composed.hpp"
#include "kernels/dispatch.hpp"
#include "kernels/gru.hpp"
#include "kernels/lstm.hpp"
#include "kernels/ranges.hpp"
#include "memory/storage.hpp"
#include "runtime/runtime_state.hpp"

// gru_update and lstm_update: one step of a cell, given W_ih x + b_ih and W_hh h + b_hh.
namespace gradus {
namespace composed {
namespace {

// Columns of gates [first, end) in a matrix (B, G·H), for a cell with G gates.
Tensor columns(const Tensor& part, std::int64_t H, int first, int end) {
  return part.slice(first * H, end * H, 1);
}

Tensor gru_update(const Tensor& x_part, const Tensor& h_part, const Tensor& h) {
  const auto gate = [H = h.size(1)](const Tensor& part, int i) { return columns(part, H, i, i + 1); };
  const Tensor r = sigmoid(gate(x_part, 0) + gate(h_part, 0));
  const Tensor z = sigmoid(gate(x_part, 1) + gate(h_part, 1));
  const Tensor n = tanh(gate(x_part, 2) + r * gate(h_part, 2));
  return (1.0 - z) * n + z * h;
}

Tensor lstm_update(const Tensor& x_part, const Tensor& h_part, const Tensor& c) {
  const Tensor sums = x_part + h_part;
  const auto gate = [&, H = c.size(1)](int index) { return columns(sums, H, index, index + 1); };
  const Tensor i = sigmoid(gate(0)), f = sigmoid(gate(1)), g = tanh(gate(2)), o = sigmoid(gate(3));
  const Tensor after = f * c + i * g;
  return stack({o * tanh(after), after});
}

// The original GRU applies the reset gate before the product. So its step needs two products with W_hh: one
// with h for r and z, one with r ∘ h for n.
Tensor original_gru_step(const Tensor& x_part, const Tensor& h, const Tensor& W, const Tensor& b) {
  const std::int64_t H = h.size(1);
  const auto rows = [&](const Tensor& of, int first, int end) {
    return of.defined() ? of.slice(first * H, end * H) : Tensor();
  };
  const Tensor rz = sigmoid(columns(x_part, H, 0, 2) + linear(h, rows(W, 0, 2), rows(b, 0, 2)));  // (B, 2H)
  const Tensor r = columns(rz, H, 0, 1), z = columns(rz, H, 1, 2);
  const Tensor n = tanh(columns(x_part, H, 2, 3) + linear(r * h, rows(W, 2, 3), rows(b, 2, 3)));
  return (1.0 - z) * n + z * h;
}

}  // namespace

std::vector<Tensor> step(GatedCell cell, const Tensor& x_part, const std::vector<Tensor>& before,
                         const Tensor& W, const Tensor& b) {
  const Tensor& h = before[0];
  if (cell == GatedCell::gru) return {composed::gru_update(x_part, linear(h, W, b), h)};
  if (cell == GatedCell::original_gru) return {original_gru_step(x_part, h, W, b)};
  const Tensor after = composed::lstm_update(x_part, linear(h, W, b), before[1]);
  return {after[0], after[1]};
}

}  // namespace composed

namespace {

// The row kernels of a cell. They read `before`, a part of the old state: h for a GRU, c for an LSTM.
struct GruRows {
  static constexpr std::size_t gates = 3, parts = 1, kept = 4;
  template <class T>
  static void forward(std::int64_t H, const T* x, const T* u, const T* before, std::array<T*, parts> after,
                      T* keep) {
    kernels::gru_row(H, x, u, before, after[0], keep);
  }
  template <class T>
  static void backward(std::int64_t H, const T* keep, const T* before, std::array<const T*, parts> d, T* at_x,
                       T* at_u, T* at_before) {
    kernels::gru_backward_row(H, keep, before, d[0], at_x, at_u, at_before);
  }
};

struct LstmRows {
  static constexpr std::size_t gates = 4, parts = 2, kept = 5;
  template <class T>
  static void forward(std::int64_t H, const T* x, const T* u, const T* before, std::array<T*, parts> after,
                      T* keep) {
    kernels::lstm_row(H, x, u, before, after[0], after[1], keep);
  }
  template <class T>
  static void backward(std::int64_t H, const T* keep, const T* before, std::array<const T*, parts> d, T* at_x,
                       T* at_u, T* at_before) {
    kernels::lstm_backward_row(H, keep, before, d[0], d[1], at_x, at_before);
    std::copy_n(at_x, 4 * H, at_u);
  }
};

// Computes the new state: (B, H) for a GRU, (parts, B, H) for an LSTM. x_part and h_part are (B, G·H) for a
// cell with G gates. `before` is the part of the old state that the row kernels read.
template <class Cell>
Tensor update(const char* operation, const Tensor& x_part, const Tensor& h_part, const Tensor& before) {
  constexpr std::size_t P = Cell::parts;
  const std::int64_t B = before.size(0), H = before.size(1), width = Cell::gates * H;
  Tensor y = empty(P == 1 ? Shape{B, H} : Shape{P, B, H}, before.dtype());
  for_floating(operation, y.dtype(), [&]<class T>() {
    for_each_range(B, width, [&](std::int64_t begin, std::int64_t end) {
      std::vector<T> keep(Cell::kept * static_cast<std::size_t>(H));
      for (std::int64_t b = begin; b < end; ++b) {
        std::array<T*, P> after;
        for (std::size_t part = 0; part < P; ++part) after[part] = raw<T>(y) + (part * B + b) * H;
        Cell::forward(H, raw<T>(x_part) + b * width, raw<T>(h_part) + b * width, raw<T>(before) + b * H,
                      after, keep.data());
      }
    });
  });
  const auto backward = typed([=]<class T>(Gradients& g) {
    const T *x = raw<T>(g.saved(0)), *u = raw<T>(g.saved(1)), *old = raw<T>(g.saved(2));
    std::array<T*, 3> to;
    for (int input = 0; input < 3; ++input) {
      to[static_cast<std::size_t>(input)] = g.wants(input) ? raw<T>(g.in(input)) : nullptr;
    }
    for_each_range(B, width, [&](std::int64_t begin, std::int64_t end) {
      const auto h = static_cast<std::size_t>(H);
      std::vector<T> keep(Cell::kept * h), at_x(Cell::gates * h), at_u(Cell::gates * h), at_old(h),
          unused(P * h);
      const auto add = [](T* gradient, std::int64_t row, std::int64_t n, const T* values) {
        if (gradient != nullptr) math::add(n, values, gradient + row * n);
      };
      for (std::int64_t b = begin; b < end; ++b) {
        std::array<const T*, P> d;
        std::array<T*, P> after;
        for (std::size_t part = 0; part < P; ++part) {
          d[part] = raw<T>(g.out()) + (part * B + b) * H;
          after[part] = unused.data() + part * h;
        }
        // Recomputing the gates is cheaper than storing them.
        Cell::forward(H, x + b * width, u + b * width, old + b * H, after, keep.data());
        Cell::backward(H, keep.data(), old + b * H, d, at_x.data(), at_u.data(), at_old.data());
        add(to[0], b, width, at_x.data());
        add(to[1], b, width, at_u.data());
        add(to[2], b, H, at_old.data());
      }
    });
  });
  return record(operation, y, {x_part, h_part, before}, {x_part, h_part, before}, backward);
}

void check(const char* operation, const char* state, std::int64_t gates, const Tensor& x_part,
           const Tensor& h_part, const Tensor& before) {
  if (before.rank() != 2 || x_part.shape() != Shape{before.size(0), gates * before.size(1)} ||
      h_part.shape() != x_part.shape()) {
    fail(operation, "needs parts (B, ", gates, "H) and ", state, " (B, H), and got ", x_part.shape(), ", ",
         h_part.shape(), " and ", before.shape());
  }
  for (const Tensor* other : {&h_part, &before}) check_same_dtype(operation, x_part, *other);
}

}  // namespace

Tensor gru_update(const Tensor& x_part, const Tensor& h_part, const Tensor& h) {
  check("gru_update", "a state", 3, x_part, h_part, h);
  if (!thread_state().fuses) return composed::gru_update(x_part, h_part, h);
  return update<GruRows>("gru_update", x_part, h_part, h);
}

Tensor lstm_update(const Tensor& x_part, const Tensor& h_part, const Tensor& c) {
  check("lstm_update", "a cell", 4, x_part, h_part, c);
  if (!thread_state().fuses) return composed::lstm_update(x_part, h_part, c);
  return update<LstmRows>("lstm_update", x_part, h_part, c);
}

}  // namespace gradus
