#pragma once

#include <gradus/autograd/fused.hpp>
#include <gradus/autograd/tape.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cells.hpp"
#include "kernels/dropout.hpp"

/// Types and functions for the two passes of attention_sequence(): indices, sizes, dropout masks, the rows of
/// a step.
namespace gradus::attention {

// Indices of the operation's inputs. in_state is the index of the initial state's first tensor. The
// parameters of each layer follow the initial state.
enum Input { in_y, in_keys, in_values, in_W_a, in_v_a, in_state };
enum OfLayer { weight_ih, bias_ih, weight_hh, bias_hh, of_layer };
// Indices of the saved values that follow the inputs, counted from Form::inputs().
enum Saved { saved_lengths, saved_kept, saved_below, saved_queries, saved_result };

// The score v · tanh(q + k) if additive, else scale · q · k.
struct Score {
  bool additive;
  double scale;
};

struct Dropout {
  double of_weights, between;
  Generator steps;
};

// The sizes and options of attention_sequence(), and the indices of its inputs.
struct Form {
  GatedCell cell;
  std::int64_t N, B, T, E, H, A, D, gates, parts, kept;  // the last three depend on the cell
  int layers;
  Score score;
  bool earlier;
  std::optional<Dropout> dropout;

  std::int64_t result() const { return H + D + T; }  // width of a result row [s; c; α]
  int state(int part, int layer) const { return in_state + part * layers + layer; }
  int parameter(int layer, OfLayer which) const {
    return in_state + static_cast<int>(parts) * layers + layer * of_layer + which;
  }
  int inputs() const { return parameter(layers, weight_ih); }
  std::int64_t weight_bytes(std::size_t element) const {
    const std::int64_t cells = gates * H * (D + H + std::int64_t{layers - 1} * 2 * H);
    return (cells + A * H) * static_cast<std::int64_t>(element);
  }
};

// The dropout masks of one step: for the attention weights, and for the input of each layer above the lowest.
class Masks {
 public:
  Masks(const Form& form, std::int64_t t) {
    if (!form.dropout) return;
    Generator draws = form.dropout->steps.stream(static_cast<std::uint64_t>(t));
    if (form.dropout->of_weights > 0) weights_.emplace(form.dropout->of_weights, draws.bits());
    for (int layer = 1; layer < form.layers && form.dropout->between > 0; ++layer) {
      between_.emplace_back(form.dropout->between, draws.bits());
    }
  }
  const kernels::DropoutMask* weights() const { return weights_ ? &*weights_ : nullptr; }
  // The mask for the input of `layer`, which is above the lowest. Null without dropout between layers.
  const kernels::DropoutMask* below(int layer) const {
    return between_.empty() ? nullptr : &between_[static_cast<std::size_t>(layer - 1)];
  }

 private:
  std::optional<kernels::DropoutMask> weights_;
  std::vector<kernels::DropoutMask> between_;
};

// Tensors that the forward pass writes. Each has values for every packed row. If nothing is recorded, only
// `result` is defined.
struct Rowwise {
  Tensor result;   // rows [s; c; α]
  Tensor kept;     // values stored by the cells, (layers, N, K·H)
  Tensor below;    // the inputs of the layers above the lowest, (layers − 1, N, H)
  Tensor queries;  // W_a s, (N, A); undefined if there is no W_a
};

// The packed rows of one step, for a range of ranks that begins at `first`.
struct StepPart {
  const Packing& packing;
  const Form& form;
  StepRows rows;
  std::int64_t first;

  std::int64_t sequence(std::int64_t r) const { return packing.sequence(first + r); }
  // Returns the row of a dropout mask (B, ·) that belongs to row r of this part.
  std::int64_t place(std::int64_t r) const {
    return form.dropout->steps.place(0, sequence(r), packing.batch());
  }
};

// Applies a mask to the rows x (m, H) of a step. Writes the result to y.
template <class T>
void drop_rows(const kernels::DropoutMask& mask, const StepPart& part, const T* x, T* y) {
  const std::int64_t H = part.form.H;
  for (std::int64_t r = 0; r < part.rows.size; ++r) {
    kernels::dropout_row(mask, part.place(r), H, x + r * H, y + r * H);
  }
}

// Returns the weights of the context's sum. Without a mask, these are α. With a mask, writes α after dropout
// to `into`, and returns `into`.
template <class T>
const T* used_weights(const kernels::DropoutMask* mask, const StepPart& part, std::int64_t r,
                      std::int64_t length, const T* alpha, T* into) {
  if (mask == nullptr) return alpha;
  kernels::dropout_row(*mask, part.place(r), length, alpha, into);
  return into;
}

}  // namespace gradus::attention
