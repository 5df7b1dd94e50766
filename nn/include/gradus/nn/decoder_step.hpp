#pragma once

#include <gradus/autograd/packing.hpp>
#include <gradus/nn/attention.hpp>
#include <gradus/nn/module.hpp>

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#pragma GCC visibility push(default)
namespace gradus::nn {

/// What an encoder hands to a decoder.
struct Annotations {
  Tensor h;             ///< (T, B, D): one annotation h_j for each source token
  Tensor lengths;       ///< (B), i64: how many of the T are real
  Tensor last_forward;  ///< (B, H): the forward state after the last real token
  /// (B, H): the backward state after the first token, ←h_1; undefined in one direction
  Tensor first_backward;
  /// Every layer's last states, {h_n} or {h_n, c_n}, (layers·directions, B, H), as in GRU; for decoders that
  /// go on from there
  std::vector<Tensor> last = {};
};

/// A decoder's state between two steps: named tensors whose leading axis is the batch, and the number of
/// steps taken.
class State {
 public:
  State() = default;
  State(std::initializer_list<std::pair<std::string, Tensor>> tensors, std::int64_t step = 0);
  State(NamedTensors tensors, std::int64_t step);

  /// @throws Error listing the names there are, when `name` is not one of them.
  const Tensor& operator[](std::string_view name) const;
  /// The tensor, or an undefined one when there is none of that name.
  Tensor find(std::string_view name) const;
  const NamedTensors& tensors() const { return tensors_; }
  /// How many tokens have been decoded: t − 1 at the step that makes y_t.
  std::int64_t step() const { return step_; }

  /// Rows `rows` (i64, (K)) of every tensor: what beam search does between two steps.
  State select(const Tensor& rows) const;

 private:
  NamedTensors tensors_;
  std::int64_t step_ = 0;
};

/// The second extension point: one step of a decoder. Training with the true tokens, greedy decoding and beam
/// search all go through it, and nothing else need be written. The step decides for itself whether it attends
/// before it updates its state (Bahdanau, by s_{t−1}) or after (Luong, by s_t), and keeps in its state
/// whatever it needs again: for Luong's input feeding, h̃.
class DecoderStep : public Module {
 public:
  struct Start {
    State state;
    Memory memory;
  };
  struct Output {
    Tensor logits;   ///< (B, V)
    State state;     ///< one step further
    Tensor weights;  ///< (B, T); undefined without attention
  };

  /// s_0, and what is to be looked back at.
  virtual Start start(const Annotations& annotations) const = 0;
  /// @param previous y_{t−1}, (B), i64; BOS at the first step
  virtual Output step(const Tensor& previous, const State& state, const Memory& memory) const = 0;

  /// Teacher forcing: the logits of every real target token, (N, V), packed. Made step by step, unless a
  /// decoder knows a faster way to the same numbers.
  /// @param target_in (Ty, B), i64: BOS y_1 … y_{n−1}
  /// @param targets   where the real tokens are
  virtual Tensor forward(const Start& start, const Tensor& target_in, const Packing& targets) const;

  /// True if threads may run this decoder concurrently on different sequences. It must not modify itself. It
  /// may draw only through dropout() with the default generator, on inputs (…, B, n) or packed. start() and
  /// forward() must make the same number of draws for any sequences. False by default.
  virtual bool can_be_shared() const { return false; }
};

}  // namespace gradus::nn
#pragma GCC visibility pop
