#pragma once

#include <gradus/autograd/fused.hpp>
#include <gradus/autograd/packing.hpp>
#include <gradus/nn/module.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#pragma GCC visibility push(default)
/// Common code of the recurrent modules: the loops over layers, directions and time. Each kind of module
/// (rnn.hpp, gru.hpp, lstm.hpp) defines its number of gates and its step.
namespace gradus::nn {

/// The state between two steps: {h}, or {h, c} for an LSTM.
using RecurrentState = std::vector<Tensor>;

/// The parameters of a cell with G gates, or of one layer in one direction, as in PyTorch.
struct RecurrentWeights {
  Tensor weight_ih;  ///< (G·H, I)
  Tensor weight_hh;  ///< (G·H, H)
  Tensor bias_ih;    ///< (G·H), or undefined
  Tensor bias_hh;    ///< (G·H), or undefined
};

/// Defines a kind of recurrent module: its number of gates, the parts of its state, and the computation of
/// steps.
struct RecurrentKind {
  std::int64_t gates;     ///< G
  std::size_t parts = 1;  ///< number of tensors in the state: 1 for {h}, 2 for {h, c}
  /// Computes the state after a step. Its arguments are x_part = W_ih x + b_ih, (B, G·H), and the state
  /// before the step.
  std::function<RecurrentState(const RecurrentWeights& weights, const Tensor& x_part,
                               const RecurrentState& before)>
      step;
  /// The same cell in recurrent_sequence() and attention_sequence(), which compute all steps in one
  /// operation. Without it, scan() calls `step` once per step.
  std::optional<GatedCell> gated = std::nullopt;
};

/// One step of a recurrent module, with parameters `weight_ih`, `weight_hh`, `bias_ih` and `bias_hh`, drawn
/// from U(−1/√H, 1/√H).
class RecurrentCell : public Module {
  const char* operation_;
  RecurrentKind kind_;
  RecurrentWeights weights_;  // declared first, because the public members copy its parts

 public:
  const Tensor weight_ih = weights_.weight_ih, weight_hh = weights_.weight_hh;
  const Tensor bias_ih = weights_.bias_ih, bias_hh = weights_.bias_hh;  ///< undefined when turned off

 protected:
  /// @throws Error, prefixed with `name`, unless `inputs` and `hidden` are at least 1.
  RecurrentCell(const char* name, RecurrentKind kind, std::int64_t inputs, std::int64_t hidden, bool bias);
  /// Returns the state after the step with the input x (B, I). Undefined tensors in `state` are taken as
  /// zeros.
  RecurrentState advance(const Tensor& x, RecurrentState state) const;
};

/// The options common to every kind.
struct RecurrentOptions {
  std::int64_t layers;
  bool bidirectional;
  double dropout;
  bool bias;
  bool batch_first;
};

/// A recurrent module over a sequence, with one or more layers, forward only or in both directions. Layer l +
/// 1 reads the output of layer l: both directions, concatenated. In training, dropout is applied to this
/// output before layer l + 1 reads it. Code that accepts any kind of recurrent module, such as encoders and
/// decoders, calls `run` and `step`.
class Recurrent : public Module {
 public:
  /// `output`: the last layer's states h. `last`: {h_n} or {h_n, c_n}, the last states of all layers and
  /// directions, each (layers·D, B, H).
  struct Result {
    Tensor output;
    RecurrentState last;
  };
  /// Runs the module as the derived class's `forward` does, with a signature that all kinds share.
  /// @param first {h_0}, {h_0, c_0}, or empty for zeros
  /// @throws Error if the sizes do not fit, or a length is outside [0, T].
  Result run(const Tensor& x, const Tensor& lengths = Tensor(), RecurrentState first = {}) const;
  /// run() for packed sequences, (N, I) → (N, D·H).
  Result run_packed(const Tensor& x, const Packing& packing, RecurrentState first = {}) const;

  /// Runs one step through all layers. Decoders need this, because the input of a step depends on the output
  /// of the step before.
  /// @param x      (B, I)
  /// @param before (B, H) each: h of every layer from the lowest up; for an LSTM, then c of every layer
  /// @return the state after x, in the same order; the top layer's h is at index layers() − 1
  /// @throws Error if the sizes do not fit, or the module is bidirectional.
  RecurrentState step(const Tensor& x, const RecurrentState& before) const;

  std::int64_t hidden() const { return hidden_; }
  std::int64_t layers() const { return options_.layers; }
  int directions() const { return options_.bidirectional ? 2 : 1; }
  std::size_t state_parts() const { return kind_.parts; }  ///< 1 for {h}, 2 for {h, c}
  /// The cell of recurrent_sequence() and attention_sequence() that computes the same steps as this module,
  /// if such a cell exists.
  std::optional<GatedCell> gated_cell() const { return kind_.gated; }
  /// The weights of one layer and direction.
  const RecurrentWeights& weights(std::int64_t layer, int direction = 0) const {
    return weights_[static_cast<std::size_t>(layer * directions() + direction)];
  }

 protected:
  /// @throws Error, prefixed with `name`, unless `inputs`, `hidden` and `layers` are at least 1. Dropout must
  /// be in [0, 1), and 0 if there is only one layer.
  Recurrent(const char* name, RecurrentKind kind, std::int64_t inputs, std::int64_t hidden,
            const RecurrentOptions& options);

 private:
  bool drops() const;
  void complete_first(RecurrentState& first, std::int64_t batch, Dtype dtype) const;
  Scanned run_steps(const RecurrentWeights& p, const Tensor& x, const RecurrentState& first,
                    const Packing& packing, bool reverse) const;
  Result run_layers(Tensor x, const Packing& packing, const RecurrentState& first) const;

  const char* operation_;
  RecurrentKind kind_;
  std::int64_t inputs_, hidden_;
  RecurrentOptions options_;
  std::vector<RecurrentWeights> weights_;  // layer by layer, forward before backward
};

}  // namespace gradus::nn
#pragma GCC visibility pop
