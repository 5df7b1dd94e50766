#pragma once

#include <gradus/autograd/packing.hpp>
#include <gradus/nn/attention.hpp>
#include <gradus/nn/module.hpp>

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#pragma GCC visibility push(default)
namespace gradus::nn {

/// The encoder's output, from which a decoder starts.
struct Annotations {
  Tensor h;             ///< (T, B, D): one annotation h_j for each source token
  Tensor lengths;       ///< (B), i64: number of real positions
  Tensor last_forward;  ///< (B, H): the forward state after the last real token
  /// (B, H): ←h_1, the backward direction's state after the first token, which this direction reads last.
  /// Undefined if the encoder has only one direction.
  Tensor first_backward;
  /// Every layer's last states, {h_n} or {h_n, c_n}, (layers·directions, B, H), in the order of GRU's h_n.
  /// Decoders whose initial state is the encoder's final state read `last`.
  std::vector<Tensor> last = {};
};

/// A decoder's state between two steps: the number of past steps, and named tensors whose leading axis is the
/// batch.
class State {
 public:
  State() = default;
  State(std::initializer_list<std::pair<std::string, Tensor>> tensors, std::int64_t step = 0);
  State(NamedTensors tensors, std::int64_t step);

  /// The tensor of that name. @throws Error if there is none; the message lists the state's names.
  const Tensor& operator[](std::string_view name) const;
  /// The tensor of that name, or an undefined tensor if there is none.
  Tensor find(std::string_view name) const;
  const NamedTensors& tensors() const { return tensors_; }
  /// Number of tokens decoded so far: t − 1 at the step that computes y_t.
  std::int64_t step() const { return step_; }

  /// Selects `rows` (i64, (K)) of every tensor. Beam search calls select() between two steps.
  State select(const Tensor& rows) const;

 private:
  NamedTensors tensors_;
  std::int64_t step_ = 0;
};

/// One step of a decoder. An extension point, like Attention. Teacher forcing, sampling and all searches work
/// with every decoder that has start() and step(). A step may attend before it updates the state (Bahdanau,
/// with s_{t−1}), or after (Luong, with s_t). The state contains everything that the next step needs, such as
/// h̃ for Luong's input feeding.
class DecoderStep : public Module {
 public:
  struct Start {
    State state;
    Memory memory;
  };
  struct Output {
    Tensor logits;   ///< (B, V)
    State state;     ///< after this step
    Tensor weights;  ///< (B, T); undefined without attention
  };

  /// The initial state s_0, and the memory to attend to.
  virtual Start start(const Annotations& annotations) const = 0;
  /// Runs step t: computes the logits of y_t and the next state.
  /// @param previous y_{t−1}, (B), i64; BOS at the first step
  virtual Output step(const Tensor& previous, const State& state, const Memory& memory) const = 0;

  /// Teacher forcing: the logits of every real target token, (N, V), packed. By default calls step() once per
  /// step. A decoder may override forward() to compute the same numbers faster.
  /// @param target_in (T_y, B), i64: BOS y_1 … y_{n−1}
  /// @param targets   positions of the real tokens
  virtual Tensor forward(const Start& start, const Tensor& target_in, const Packing& targets) const;

  /// True if threads may run this decoder concurrently on different sequences. Such a decoder must not modify
  /// itself. It may draw random numbers only through dropout(), on inputs (…, B, n) or packed inputs, and
  /// through attention_sequence(). Both must draw from the default generator or from one derived from it. The
  /// number of draws in start() and forward() must not depend on the sequences. False by default.
  virtual bool can_be_shared() const { return false; }

  /// Tells whether this decoder's attention draws positions in training, and how the gradient is then
  /// estimated. With Estimator::reinforce, each step's weights must have the gradient that reinforce_loss()
  /// needs.
  virtual Estimator estimator() const { return Estimator::none; }
};

/// Runs a decoder step by step. Before each step t = 0, 1, …, calls input(t, at). `input` returns the tokens
/// of the step before (BOS at step 0), (B), i64, or an undefined tensor to end the run. It may change the
/// state and the memory in `at`. For example, beam search reorders its hypotheses in `at`. After the step,
/// visit(t, output) receives the output. In training, each step has its own random generator (DrawsOfSteps).
/// So a sequence's dropout does not depend on the lengths of the other sequences in the batch.
void for_each_step(const DecoderStep& decoder, DecoderStep::Start at,
                   const std::function<Tensor(std::int64_t t, DecoderStep::Start& at)>& input,
                   const std::function<void(std::int64_t t, DecoderStep::Output& output)>& visit);
/// Runs a decoder on given tokens, (T, B): step t reads tokens[t].
void for_each_step(const DecoderStep& decoder, DecoderStep::Start at, const Tensor& tokens,
                   const std::function<void(std::int64_t t, DecoderStep::Output& output)>& visit);

}  // namespace gradus::nn
#pragma GCC visibility pop
