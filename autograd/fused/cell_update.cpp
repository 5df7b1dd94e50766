#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/fused.hpp>
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

// gru_update and lstm_update: one step of a cell, without its products.
namespace gradus {
namespace {

// The row kernels of a cell. `before` is the part of the old state that they read: h, or c for an LSTM.
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

// The new state, (B, H) or (parts, B, H), from x_part and h_part, (B, G·H), and the part of the old state
// that the row kernels read.
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
