#pragma once

#include <gradus/autograd/packing.hpp>
#include <gradus/nn/module.hpp>

#include <cstdint>
#include <functional>
#include <vector>

#pragma GCC visibility push(default)
/// What the kinds of recurrent module share. A kind (rnn.hpp, gru.hpp, lstm.hpp) gives how many gates it has
/// and its step; the loops over layers, directions and time are here.
namespace gradus::nn {

/// What a recurrent module hands from step to step: {h}, or {h, c} for an LSTM.
using RecurrentState = std::vector<Tensor>;

/// The parameters of a cell of G gates, or of one direction of a layer, as in PyTorch.
struct RecurrentWeights {
  Tensor weight_ih;  ///< (G·H, I)
  Tensor weight_hh;  ///< (G·H, H)
  Tensor bias_ih;    ///< (G·H), or undefined
  Tensor bias_hh;    ///< (G·H), or undefined
};

/// The state after step t, from x_part = W_ih x_t + b_ih, (B, G·H), and the state before. A row whose length
/// is at most t keeps the state that it has; undefined lengths mean that none does.
using RecurrentStep = std::function<RecurrentState(const Tensor& x_part, const RecurrentState& before,
                                                   const Tensor& lengths, std::int64_t t)>;

/// What a direction of a layer makes of its sequences.
struct RecurrentStates {
  Tensor states;        ///< h after each step, (N, H), packed
  RecurrentState last;  ///< (B, H) each: after the last step, or the first one in reverse
};

/// A kind of recurrent module: what it does with its weights.
struct RecurrentKind {
  std::int64_t gates;     ///< G
  std::size_t parts = 1;  ///< of the state: 1 for {h}, 2 for {h, c}
  std::function<RecurrentStep(const RecurrentWeights& weights)> step;
  /// All steps at once, from x_parts = W_ih x + b_ih, (N, G·H), packed; null where there is no such
  /// operation.
  std::function<RecurrentStates(const RecurrentWeights& weights, const Tensor& x_parts,
                                const RecurrentState& first, const Packing& packing, bool reverse)>
      sequence = nullptr;
};

/// `updated` in the rows that are longer than t, `before` in the others: what keeps an ended row's state.
Tensor unless_ended(const Tensor& updated, const Tensor& before, const Tensor& lengths, std::int64_t t);

/// One step of a recurrent module, and its parameters `weight_ih`, `weight_hh`, `bias_ih` and `bias_hh`,
/// drawn from U(−1/√H, 1/√H).
class RecurrentCell : public Module {
  const char* operation_;
  RecurrentKind kind_;
  RecurrentWeights weights_;  // before the public names for its parts

 public:
  const Tensor weight_ih = weights_.weight_ih, weight_hh = weights_.weight_hh;
  const Tensor bias_ih = weights_.bias_ih, bias_hh = weights_.bias_hh;  ///< undefined when turned off

 protected:
  /// @throws Error, as from `name`, unless there are inputs and a state.
  RecurrentCell(const char* name, RecurrentKind kind, std::int64_t inputs, std::int64_t hidden, bool bias);
  /// The state after x, (B, I). Undefined parts of the state are zeros.
  RecurrentState advance(const Tensor& x, RecurrentState state) const;
};

/// What the options of every kind say.
struct RecurrentLayout {
  std::int64_t layers;
  bool bidirectional;
  double dropout;
  bool bias;
  bool batch_first;
};

/// A recurrent module over a sequence: layers, each forward or in both directions. Layer l + 1 reads what
/// layer l gave, both directions side by side, in training under dropout. What holds any kind of them, as an
/// encoder or a decoder does, uses `run` and `step`.
class Recurrent : public Module {
 public:
  /// The last layer's states h, and every layer's last state, (layers·D, B, H): {h_n}, or {h_n, c_n}.
  struct Result {
    Tensor output;
    RecurrentState last;
  };
  /// What the kind's `forward` does, whatever the kind. @param first {h_0}, {h_0, c_0}, or empty for zeros.
  /// @throws Error when the sizes do not fit, or a length is outside [0, T].
  Result run(const Tensor& x, const Tensor& lengths = Tensor(), RecurrentState first = {}) const;
  /// The same over packed sequences, (N, I) → (N, D·H).
  Result run_packed(const Tensor& x, const Packing& packing, RecurrentState first = {}) const;

  /// One step through all layers: how a decoder goes, whose next input depends on what came out.
  /// @param x      (B, I)
  /// @param before (B, H) each: h of every layer from the lowest; with an LSTM, c of every layer after them
  /// @return the state after x, likewise; the top layer's h is number layers() − 1
  /// @throws Error when the sizes do not fit, and where there are two directions.
  RecurrentState step(const Tensor& x, const RecurrentState& before) const;

  std::int64_t hidden() const { return hidden_; }
  std::int64_t layers() const { return layout_.layers; }
  int directions() const { return layout_.bidirectional ? 2 : 1; }
  std::size_t state_parts() const { return kind_.parts; }  ///< 1 for {h}, 2 for {h, c}
  /// Of one layer and direction.
  const RecurrentWeights& weights(std::int64_t layer, int direction = 0) const {
    return weights_[static_cast<std::size_t>(layer * directions() + direction)];
  }

 protected:
  /// @throws Error, as from `name`, unless there are inputs, a state and a layer, and dropout is in [0, 1)
  /// and has two layers to stand between.
  Recurrent(const char* name, RecurrentKind kind, std::int64_t inputs, std::int64_t hidden,
            const RecurrentLayout& layout);

 private:
  // One direction of a layer, x_parts (…, G·H) → h of the same leading axes, and the last state.
  using Direction = std::function<RecurrentStates(const RecurrentWeights& weights, const Tensor& x_parts,
                                                  const RecurrentState& first, bool reverse)>;
  // `between` is how dropout acts on what one layer hands to the next.
  Result run_layers(const Direction& direction, const std::function<Tensor(const Tensor&)>& between, Tensor x,
                    const RecurrentState& first) const;

  bool drops() const;
  Tensor drop(const Tensor& h) const;
  void complete_first(RecurrentState& first, std::int64_t batch, Dtype dtype) const;
  // Packed, as one operation a direction.
  Result run_fused(const Tensor& x, const Packing& packing, const RecurrentState& first) const;
  // Padded, step by step.
  Result run_steps(const Tensor& x, const Tensor& lengths, const RecurrentState& first) const;

  const char* operation_;
  RecurrentKind kind_;
  std::int64_t inputs_, hidden_;
  RecurrentLayout layout_;
  std::vector<RecurrentWeights> weights_;  // layer by layer, forward before backward
};

}  // namespace gradus::nn
#pragma GCC visibility pop
