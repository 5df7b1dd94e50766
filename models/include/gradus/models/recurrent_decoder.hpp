#pragma once

#include <gradus/models/cell.hpp>
#include <gradus/models/readout.hpp>
#include <gradus/nn/decoder_step.hpp>
#include <gradus/nn/embedding.hpp>
#include <gradus/nn/linear.hpp>

#include <cstdint>
#include <memory>
#include <optional>

#pragma GCC visibility push(default)
namespace gradus::models {

/// How s_0 is computed. The first states of all layers, and an LSTM's c_0, are computed in the same way.
enum class Bridge {
  backward,  ///< tanh(W_s ←h_1) (Bahdanau et al. 2015, appendix A.2.2)
  summary,   ///< tanh(W_s [→h_T; ←h_1])
  copy,      ///< the encoder's last state of each layer (Sutskever et al. 2014)
  zeros,
};

struct DecoderOptions {
  std::int64_t vocabulary;
  std::int64_t annotation;      ///< D, the size of an annotation h_j, both directions concatenated
  std::int64_t embedding = 32;  ///< E
  std::int64_t hidden = 64;     ///< H
  Cell cell = Cell::gru;
  std::int64_t layers = 1;
  std::optional<Bridge> bridge = std::nullopt;        ///< the decoder's default if not given
  std::optional<ReadoutForm> readout = std::nullopt;  ///< the decoder's default if not given
  std::int64_t maxout = 64;                           ///< the size of t (see Readout), for a maxout readout
  double dropout = 0;                                 ///< on E y, between layers, and on the readout's input
  bool tied = false;                                  ///< use E as W_o
  Tensor tied_embedding = {};  ///< E shared with the encoder; undefined to create a separate one
};

/// The common part of the decoders "fixed", "cho" and "bahdanau". Step t computes
///
///     c_t = context, defined by the derived class
///     s_t = cell([E y_{t−1}; c_t], s_{t−1})          with several layers, s_t is the top layer's
///     logits_t = readout of s_t, c_t and E y_{t−1}   as ReadoutForm says
///
/// Modules: `embedding`, `W_s` if the bridge has a matrix, `rnn`, `readout`. State: `s` (B, H) of the top
/// layer; `s.0`, `s.1` … of the layers below; for an LSTM also `cell.0` … of all layers.
class RecurrentDecoder : public nn::DecoderStep {
 public:
  /// @throws Error if the encoder does not provide the states that the bridge needs.
  Start start(const nn::Annotations& annotations) const override;
  /// step() and forward() are final. A derived class overrides find_context(). It may also override
  /// advance(), which step() calls, and unroll(), which forward() calls.
  Output step(const Tensor& previous, const nn::State& state, const nn::Memory& memory) const final;
  /// Applies the readout to all steps at once.
  Tensor forward(const Start& start, const Tensor& target_in, const Packing& targets) const final;

  /// True if s_0 depends on the source, that is, unless the bridge is Bridge::zeros.
  bool starts_from_source() const { return bridge_ != Bridge::zeros; }

  nn::Embedding embedding;
  std::optional<nn::Linear> W_s;
  const std::unique_ptr<nn::Recurrent> rnn;
  Readout readout;

 protected:
  /// The name and the sizes of a derived decoder, and its defaults for two options.
  struct Form {
    const char* name;      ///< for messages
    std::int64_t context;  ///< the size of c_t; 0 without context
    std::int64_t summary;  ///< the size of Bridge::summary's input
    Bridge bridge;         ///< used if the options give none
    ReadoutForm readout;   ///< used if the options give none
  };
  /// @throws Error as the modules' constructors do, for example for sizes below 1.
  RecurrentDecoder(const Form& form, const DecoderOptions& options);

  struct Context {
    Tensor context;     ///< c_t, (B, ·); undefined without context
    NamedTensors kept;  ///< entries of the next state besides the states of `rnn`
    Tensor weights;     ///< (B, T); undefined without attention
  };
  /// Computes c_t from the state before step t.
  virtual Context find_context(const nn::State& before, const nn::Memory& memory) const = 0;

  struct Step {
    Tensor features;  ///< the readout's input without E y_{t−1}: [s_t; c_t], or as ReadoutForm says
    nn::State state;  ///< after the step
    Tensor weights;   ///< (B, T); undefined without attention
  };
  /// Runs one step. By default, calls find_context(). Override advance() to compute the same numbers faster.
  /// @param y E y_{t−1}, (B, E)
  virtual Step advance(const Tensor& y, const nn::State& state, const nn::Memory& memory) const;

  /// Computes the features of all real steps, packed, (N, ·). By default, calls advance() for each step.
  /// Override unroll() to compute the same numbers faster.
  /// @param y E y_{t−1}, (N, E), packed
  virtual Tensor unroll(const Tensor& y, const Start& start, const Packing& targets) const;
  /// unroll() for decoders with the same context c at every step: runs `rnn` once over the whole sequence.
  /// @param context c, (B, ·), or undefined
  Tensor unroll_whole(const Tensor& y, const Tensor& context, const nn::State& first,
                      const Packing& targets) const;

  /// Converts a decoder's state to the state of `rnn`.
  nn::RecurrentState cells(const nn::State& state) const;
  /// The decoder's state at `step`: the tensors of `cells`, named `s`, `s.0`, `cell.0` … as above, then those
  /// of `kept`.
  nn::State state_of(const nn::RecurrentState& cells, const NamedTensors& kept, std::int64_t step) const;

  /// The bridge's s_0, computed from the encoder's states or from one vector (B, ·).
  nn::RecurrentState bridge(const nn::Annotations& annotations) const;
  nn::RecurrentState bridge(const Tensor& summary) const;
  /// [→h_T; ←h_1], or →h_T if the encoder has one direction.
  static Tensor summary(const nn::Annotations& annotations);

  Tensor embed(const Tensor& tokens) const;
  /// The readout's input without E y: [s; c_t], or s if there is no context or the readout uses only the
  /// state. The caller passes s_t, or s_{t−1} for ReadoutForm::maxout_earlier.
  Tensor features(const Tensor& s, const Tensor& context) const;
  /// The readout's input: the features, with E y appended unless the readout uses only the state.
  Tensor read(const Tensor& features, const Tensor& y) const;
  /// The logits, (…, V).
  Tensor read_out(const Tensor& features, const Tensor& y) const;
  bool reads_earlier_state() const { return form_ == ReadoutForm::maxout_earlier; }
  bool reads_state_alone() const { return form_ == ReadoutForm::state; }
  std::int64_t context_size() const { return context_size_; }
  double dropout() const { return dropout_; }

 private:
  const char* name_;
  Bridge bridge_;
  ReadoutForm form_;
  std::int64_t context_size_;
  double dropout_;
};

}  // namespace gradus::models
#pragma GCC visibility pop
