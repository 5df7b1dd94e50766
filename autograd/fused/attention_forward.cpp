#include "attention_sequence.hpp"
#include "kernels/additive.hpp"
#include "kernels/dispatch.hpp"
#include "kernels/softmax.hpp"
#include "kernels/weighted.hpp"

namespace gradus::attention {
namespace {

template <template <class> class Cell, class T>
void forward(std::span<const Tensor> in, const Tensor& lengths, const Packing& packing, const Form& form,
             const Rowwise& rowwise) {
  using C = Cell<T>;
  const std::int64_t N = form.N, B = form.B, E = form.E, H = form.H, A = form.A, D = form.D,
                     R = form.result();
  const int L = form.layers;
  const Dtype dtype = in[in_y].dtype();
  const auto of = [&](int layer, OfLayer which) -> const Tensor& {
    return in[static_cast<std::size_t>(form.parameter(layer, which))];
  };
  const bool keeps = rowwise.kept.defined();
  // weight_ih of the lowest layer is [W_y W_c], (G·H, E + D).
  const StepMatrix<T> W_c(Layout::transposed, of(0, weight_ih), E, D, packing);
  std::optional<StepMatrix<T>> W_a;
  if (in[in_W_a].defined()) W_a.emplace(Layout::transposed, in[in_W_a], packing);
  std::vector<typename C::Forward> advance;
  std::vector<StepMatrix<T>> W_in;  // for the layers above the lowest
  for (int layer = 0; layer < L; ++layer) {
    advance.emplace_back(of(layer, weight_hh), of(layer, bias_hh), packing);
    if (layer > 0) W_in.emplace_back(Layout::transposed, of(layer, weight_ih), packing);
  }
  // W_y y + b_ih is computed for all steps at once. Each step then adds its W_c c.
  const Tensor x_parts = empty({N, C::gates * H}, dtype);
  multiply_by_weight<T>(N, {raw<T>(in[in_y]), E}, of(0, weight_ih), 0, E, added_bias<T>(of(0, bias_ih)),
                        {raw<T>(x_parts), C::gates * H});

  for_each_rank_range(packing, form.weight_bytes(sizeof(T)), [&](std::int64_t first, std::int64_t last) {
    const std::int64_t n = last - first;
    const Tensor states = empty({C::parts, L, n, H}, dtype), spare = empty({2, n, C::gates * H}, dtype);
    const Tensor queries = empty({n, A}, dtype), weights = empty({n, form.T}, dtype);
    const Tensor unkept = keeps ? Tensor() : empty({n, (C::kept + 1) * H}, dtype);
    const auto state = [&](int layer) {
      T* const h = raw<T>(states) + layer * n * H;
      return cells::State<T>{h, h + (C::parts - 1) * L * n * H};
    };
    for (int part = 0; part < C::parts; ++part) {
      for (int layer = 0; layer < L; ++layer) {
        copy_to_ranks(packing, first, last, H, raw<T>(in[static_cast<std::size_t>(form.state(part, layer))]),
                      raw<T>(states) + (part * L + layer) * n * H);
      }
    }
    T* const s = state(L - 1).h;
    for (std::int64_t t = 0; t < packing.steps(); ++t) {
      const StepPart part{packing, form, StepRows(packing, t, first, last), first};
      const std::int64_t offset = part.rows.offset, m = part.rows.size;
      if (m == 0) break;
      const Masks masks(form, t);
      T* const out = raw<T>(rowwise.result) + offset * R;
      const auto write_state = [&] {
        for (std::int64_t r = 0; r < m; ++r) std::copy_n(s + r * H, H, out + r * R);
      };
      if (form.earlier) write_state();
      T* q = s;
      if (W_a) {
        q = keeps ? raw<T>(rowwise.queries) + offset * A : raw<T>(queries);
        W_a->multiply(m, {s, H}, {}, {q, A});
      }
      parallel_for(m, grain(form.T * (A + D)), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t r = begin; r < end; ++r) {
          const std::int64_t b = part.sequence(r), length = length_of(lengths, b, form.T);
          T *const c = out + r * R + H, *const alpha = c + D;
          const T* const keys = raw<T>(in[in_keys]) + b * A;
          if (form.score.additive) {
            kernels::additive_energies(length, A, q + r * A, keys, B * A, raw<T>(in[in_v_a]), alpha);
          } else {
            kernels::dot_energies(length, A, static_cast<T>(form.score.scale), q + r * A, keys, B * A, alpha);
          }
          kernels::softmax_row(length, alpha, alpha);
          std::fill(alpha + length, alpha + form.T, T(0));
          std::fill_n(c, D, T(0));
          const T* const used =
              used_weights<T>(masks.weights(), part, r, length, alpha, raw<T>(weights) + r * form.T);
          kernels::weighted_sum_row(length, D, used, raw<T>(in[in_values]) + b * D, B * D, c);
        }
      });
      T* x = raw<T>(x_parts) + offset * C::gates * H;
      W_c.add(m, {out + H, R}, {x, C::gates * H});
      for (int layer = 0; layer < L; ++layer) {
        if (layer > 0) {
          const T* below = state(layer - 1).h;
          T* const read = keeps ? raw<T>(rowwise.below) + ((layer - 1) * N + offset) * H
                                : raw<T>(unkept) + n * C::kept * H;
          if (const auto* mask = masks.below(layer)) {
            drop_rows(*mask, part, below, read);
          } else {
            std::copy_n(below, m * H, read);
          }
          x = raw<T>(spare) + n * C::gates * H;
          W_in[static_cast<std::size_t>(layer - 1)].multiply(m, {read, H}, added_bias<T>(of(layer, bias_ih)),
                                                             {x, C::gates * H});
        }
        T* const kept = keeps ? raw<T>(rowwise.kept) + (layer * N + offset) * C::kept * H : raw<T>(unkept);
        advance[static_cast<std::size_t>(layer)](m, x, state(layer), kept, raw<T>(spare));
      }
      if (!form.earlier) write_state();
    }
  });
}

}  // namespace

void run_forward(std::span<const Tensor> in, const Tensor& lengths, const Packing& packing, const Form& form,
                 const Rowwise& rowwise) {
  with_cell(form.cell, [&]<template <class> class Cell>() {
    for_floating("attention_sequence", in[in_y].dtype(),
                 [&]<class T>() { forward<Cell, T>(in, lengths, packing, form, rowwise); });
  });
}

}  // namespace gradus::attention
