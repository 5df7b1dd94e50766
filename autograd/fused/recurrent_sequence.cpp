#include <gradus/autograd/fused.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/tape.hpp>

#include <algorithm>
#include <array>
#include <utility>

#include "cells.hpp"
#include "composed.hpp"
#include "kernels/dispatch.hpp"
#include "runtime/runtime_state.hpp"

// recurrent_sequence. Most of the time goes into the product W_hh h, which reads all of W_hh at every step.
namespace gradus {
namespace composed {
namespace {

Scanned recurrent_sequence(GatedCell cell, const Tensor& x_parts, const Tensor& weight_hh,
                           const Tensor& bias_hh, const std::vector<Tensor>& first, const Packing& packing,
                           bool reverse) {
  return scan([&](const Tensor& x_part,
                  const std::vector<Tensor>& state) { return step(cell, x_part, state, weight_hh, bias_hh); },
              x_parts, first, packing, reverse);
}

}  // namespace
}  // namespace composed

namespace recurrent {
namespace {

constexpr const char* operation = "recurrent_sequence";

// Indices of the inputs. The tensors of the first state come last.
enum SequenceInput { in_x_parts, in_weight, in_bias, in_first };

// Writes y (N + parts·B, H): h after each step, then each sequence's last h and, for an LSTM, each sequence's
// last c. If `kept` is defined, also writes the values for backward.
template <template <class> class Cell, class T>
void run_forward(std::span<const Tensor> inputs, const Packing& packing, bool reverse, const Tensor& y,
                 const Tensor& kept) {
  using C = Cell<T>;
  const Tensor& weight = inputs[in_weight];
  const std::int64_t N = packing.rows(), B = packing.batch(), H = weight.size(1);
  const typename C::Forward advance(weight, inputs[in_bias], packing);
  for_each_rank_range(packing, C::gates * H * H * sizeof(T), [&](std::int64_t first, std::int64_t last) {
    const std::int64_t n = last - first;
    const auto rows_of_ranks = [&](std::int64_t width) { return empty({n, width * H}, y.dtype()); };
    const Tensor now = rows_of_ranks(C::parts), spare = rows_of_ranks(C::gates);
    const Tensor unkept = kept.defined() ? Tensor() : rows_of_ranks(C::kept);
    const std::array<T*, 2> state{raw<T>(now), raw<T>(now) + n * H};
    for (std::size_t part = 0; part < C::parts; ++part) {
      copy_to_ranks(packing, first, last, H, raw<T>(inputs[in_first + part]), state[part]);
    }
    for_each_step(packing, reverse, [&](std::int64_t t) {
      const StepRows rows(packing, t, first, last);
      if (rows.size == 0) return;
      T* const row = kept.defined() ? raw<T>(kept) + rows.offset * C::kept * H : raw<T>(unkept);
      advance(rows.size, raw<T>(inputs[in_x_parts]) + rows.offset * C::gates * H, {state[0], state[1]}, row,
              raw<T>(spare));
      std::copy_n(state[0], rows.size * H, raw<T>(y) + rows.offset * H);
    });
    for (std::size_t part = 0; part < C::parts; ++part) {
      copy_from_ranks(packing, first, last, H, state[part], raw<T>(y) + (N + part * B) * H);
    }
  });
}

// `at_x` (N, G·H): gradient of W_ih x + b_ih. `at_u` (N, G·H): gradient of W_hh h + b_hh. `at_first` (parts,
// B, H): gradient of the first state.
struct SequenceGradients {
  Tensor at_x, at_u, at_first;
};

template <template <class> class Cell, class T>
void run_backward(const Tensor& dy, const Tensor& weight, const Packing& packing, bool reverse,
                  const Tensor& kept, const SequenceGradients& wanted) {
  using C = Cell<T>;
  const std::int64_t N = packing.rows(), B = packing.batch(), H = weight.size(1);
  const typename C::Backward go_back(weight, packing);
  for_each_rank_range(packing, C::gates * H * H * sizeof(T), [&](std::int64_t first, std::int64_t last) {
    const std::int64_t n = last - first;
    const Tensor later =
        empty({(C::parts + 2) * n, H}, dy.dtype());  // gradients from later steps, in rank order; d; scratch
    const std::array<T*, 2> at_state{raw<T>(later), raw<T>(later) + n * H};
    T* const d = raw<T>(later) + C::parts * n * H;  // gradient of h, from later steps and from y
    for (std::size_t part = 0; part < C::parts; ++part) {
      copy_to_ranks(packing, first, last, H, raw<T>(dy) + (N + part * B) * H, at_state[part]);
    }
    for_each_step(packing, !reverse, [&](std::int64_t t) {
      const StepRows rows(packing, t, first, last);
      if (rows.size == 0) return;
      std::copy_n(at_state[0], rows.size * H, d);
      math::add(rows.size * H, raw<T>(dy) + rows.offset * H, d);
      const std::int64_t at = rows.offset * C::gates * H;
      go_back(rows.size, raw<T>(kept) + rows.offset * C::kept * H, d, {at_state[0], at_state[1]},
              raw<T>(wanted.at_x) + at, raw<T>(wanted.at_u) + at, d + n * H);
    });
    for (std::size_t part = 0; part < C::parts; ++part) {
      copy_from_ranks(packing, first, last, H, at_state[part], raw<T>(wanted.at_first) + part * B * H);
    }
  });
}

template <template <class> class Cell>
void check(std::span<const Tensor> inputs, const Packing& packing) {
  constexpr std::int64_t gates = Cell<float>::gates, parts = Cell<float>::parts;
  const Tensor &x_parts = inputs[in_x_parts], &weight = inputs[in_weight], &bias = inputs[in_bias];
  if (std::ssize(inputs) != in_first + parts) {
    fail(operation, "the first state has ", std::ssize(inputs) - in_first, " tensors and must have ", parts,
         parts == 1 ? ", h_0" : ", h_0 and c_0");
  }
  if (weight.rank() != 2 || weight.size(0) != gates * weight.size(1)) {
    fail(operation, "weight_hh is ", weight.shape(), " and must be (", gates, "H, H)");
  }
  const std::int64_t H = weight.size(1);
  const auto need = [&](const char* what, const Tensor& tensor, const Shape& shape) {
    if (tensor.shape() != shape) fail(operation, what, " is ", tensor.shape(), " and must be ", shape);
    check_same_dtype(operation, x_parts, tensor);
  };
  need("x_parts", x_parts, {packing.rows(), gates * H});
  check_same_dtype(operation, x_parts, weight);
  for (std::size_t i = in_first; i < inputs.size(); ++i) {
    need(i == in_first ? "h_0" : "c_0", inputs[i], {packing.batch(), H});
  }
  if (bias.defined()) need("bias_hh", bias, {gates * H});
}

template <template <class> class Cell>
Scanned run(const std::vector<Tensor>& inputs, const Packing& packing, bool reverse) {
  using Sizes = Cell<float>;
  const Tensor& weight = inputs[in_weight];
  const std::int64_t N = packing.rows(), B = packing.batch(), H = weight.size(1);
  const Dtype dtype = weight.dtype();
  const Tensor kept = keeps_tape(inputs) ? empty({N, Sizes::kept * H}, dtype) : Tensor();
  const Tensor y = empty({N + Sizes::parts * B, H}, dtype);
  for_floating(operation, dtype, [&]<class T>() { run_forward<Cell, T>(inputs, packing, reverse, y, kept); });
  const auto backward = [=](Gradients& g) {
    const Tensor& W = g.saved(0);
    SequenceGradients wanted{empty({N, Sizes::gates * H}, dtype), {}, empty({Sizes::parts, B, H}, dtype)};
    wanted.at_u = Sizes::shares_u ? wanted.at_x : empty({N, Sizes::gates * H}, dtype);
    for_floating("backward", dtype, [&]<class T>() {
      run_backward<Cell, T>(g.out(), W, packing, reverse, g.saved(1), wanted);
      const T* const at_u = raw<T>(wanted.at_u);
      if (g.wants(in_weight)) {
        g.accumulate(in_weight, [&](const Tensor& at_W, int beta) {
          Cell<T>::add_weight_gradients(N, H, raw<T>(g.saved(1)), at_u, beta, raw<T>(at_W));
        });
      }
      if (g.wants(in_bias)) {
        sum_rows<T>(N, Sizes::gates * H, {at_u, Sizes::gates * H}, raw<T>(g.in(in_bias)));
      }
    });
    for (int part = 0; part < Sizes::parts; ++part) {
      if (g.wants(in_first + part)) g.add(in_first + part, view_of(wanted.at_first, part * B * H, {B, H}));
    }
    wanted.at_u = Tensor();
    if (g.wants(in_x_parts)) g.add(in_x_parts, std::move(wanted.at_x));
  };
  const Tensor rows = record(operation, y, std::span(inputs), {weight, kept}, backward);
  Scanned result{rows.slice(0, N), {}};
  for (int part = 0; part < Sizes::parts; ++part) {
    result.last.push_back(rows.slice(N + part * B, N + (part + 1) * B));
  }
  return result;
}

}  // namespace
}  // namespace recurrent

Scanned recurrent_sequence(GatedCell cell, const Tensor& x_parts, const Tensor& weight_hh,
                           const Tensor& bias_hh, const std::vector<Tensor>& first, const Packing& packing,
                           bool reverse) {
  std::vector<Tensor> inputs{x_parts, weight_hh, bias_hh};
  inputs.insert(inputs.end(), first.begin(), first.end());
  return cells::with_cell(cell, [&]<template <class> class Cell>() {
    recurrent::check<Cell>(inputs, packing);
    return thread_state().fuses
               ? recurrent::run<Cell>(inputs, packing, reverse)
               : composed::recurrent_sequence(cell, x_parts, weight_hh, bias_hh, first, packing, reverse);
  });
}

}  // namespace gradus
