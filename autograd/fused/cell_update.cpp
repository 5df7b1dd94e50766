#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/fused.hpp>
#include <gradus/autograd/tape.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "kernels/dispatch.hpp"
#include "kernels/gru.hpp"
#include "kernels/lstm.hpp"
#include "kernels/share.hpp"
#include "memory/storage.hpp"

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

// The new state, (B, H) or (parts, B, H). inputs: x_part and h_part (B, G·H), then the parts of the state.
template <class Cell>
Tensor update(const char* operation, std::initializer_list<TensorRef> inputs, const Tensor& lengths,
              std::int64_t step) {
  constexpr std::size_t P = Cell::parts;
  const Tensor &x_part = inputs.begin()[0], &h_part = inputs.begin()[1], &before = inputs.begin()[P + 1];
  const std::int64_t B = before.size(0), H = before.size(1), width = Cell::gates * H;
  check_lengths(operation, lengths, B, std::numeric_limits<std::int64_t>::max());
  const auto frozen = [step](const Tensor& of, std::int64_t row) {
    return length_of(of, row, step + 1) <= step;
  };
  Tensor y = empty(P == 1 ? Shape{B, H} : Shape{P, B, H}, before.dtype());
  for_floating(operation, y.dtype(), [&]<class T>() {
    for_each_range(B, width, [&](std::int64_t begin, std::int64_t end) {
      std::vector<T> keep(Cell::kept * static_cast<std::size_t>(H));
      for (std::int64_t b = begin; b < end; ++b) {
        std::array<T*, P> after;
        for (std::size_t part = 0; part < P; ++part) after[part] = raw<T>(y) + (part * B + b) * H;
        if (!frozen(lengths, b)) {
          Cell::forward(H, raw<T>(x_part) + b * width, raw<T>(h_part) + b * width, raw<T>(before) + b * H,
                        after, keep.data());
          continue;
        }
        for (std::size_t part = 0; part < P; ++part) {
          std::copy_n(raw<T>(inputs.begin()[2 + part]) + b * H, H, after[part]);
        }
      }
    });
  });
  const auto backward = typed([=]<class T>(Gradients& g) {
    const T *x = raw<T>(g.saved(0)), *u = raw<T>(g.saved(1)), *old = raw<T>(g.saved(2));
    std::array<T*, 2 + P> to;
    for (std::size_t i = 0; i < to.size(); ++i) {
      const int input = static_cast<int>(i);
      to[i] = g.wants(input) ? raw<T>(g.in(input)) : nullptr;
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
        if (frozen(g.saved(3), b)) {
          for (std::size_t part = 0; part < P; ++part) add(to[2 + part], b, H, d[part]);
          continue;
        }
        // Recomputing the gates is cheaper than storing them.
        Cell::forward(H, x + b * width, u + b * width, old + b * H, after, keep.data());
        Cell::backward(H, keep.data(), old + b * H, d, at_x.data(), at_u.data(), at_old.data());
        add(to[0], b, width, at_x.data());
        add(to[1], b, width, at_u.data());
        add(to[1 + P], b, H, at_old.data());
      }
    });
  });
  return record(operation, y, inputs, {x_part, h_part, before, lengths}, backward);
}

}  // namespace

Tensor gru_update(const Tensor& x_part, const Tensor& h_part, const Tensor& h, const Tensor& lengths,
                  std::int64_t step) {
  if (h.rank() != 2 || x_part.shape() != Shape{h.size(0), 3 * h.size(1)} ||
      h_part.shape() != x_part.shape()) {
    fail("gru_update", "needs parts (B, 3H) and a state (B, H), and got ", x_part.shape(), ", ",
         h_part.shape(), " and ", h.shape());
  }
  for (const Tensor* other : {&h_part, &h}) check_same_dtype("gru_update", x_part, *other);
  return update<GruRows>("gru_update", {x_part, h_part, h}, lengths, step);
}

Tensor lstm_update(const Tensor& x_part, const Tensor& h_part, const Tensor& h, const Tensor& c,
                   const Tensor& lengths, std::int64_t step) {
  if (h.rank() != 2 || c.shape() != h.shape() || x_part.shape() != Shape{h.size(0), 4 * h.size(1)} ||
      h_part.shape() != x_part.shape()) {
    fail("lstm_update", "needs parts (B, 4H) and states (B, H), and got ", x_part.shape(), ", ",
         h_part.shape(), ", ", h.shape(), " and ", c.shape());
  }
  for (const Tensor* other : {&h_part, &h, &c}) check_same_dtype("lstm_update", x_part, *other);
  return update<LstmRows>("lstm_update", {x_part, h_part, h, c}, lengths, step);
}

}  // namespace gradus
