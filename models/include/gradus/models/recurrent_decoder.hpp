#pragma once

#include <gradus/models/cell.hpp>
#include <gradus/models/readout.hpp>
#include <gradus/nn/decoder_step.hpp>
#include <gradus/nn/embedding.hpp>
#include <gradus/nn/linear.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <typeinfo>

#pragma GCC visibility push(default)
namespace gradus::models {

/// What s_0 is made of. An LSTM's c_0 is made in the same way, and so is the state of each layer.
enum class Bridge {
  backward,  ///< tanh(W_s ←h_1) (Bahdanau et al. 2015, appendix A.2.2)
  summary,   ///< tanh(W_s [→h_T; ←h_1])
  copy,      ///< the last states of the encoder, layer by layer (Sutskever et al. 2014)
  zeros,
};

struct DecoderOptions {
  std::int64_t vocabulary;
  std::int64_t annotation;      ///< D, the size of an annotation h_j: both directions together
  std::int64_t embedding = 32;  ///< E
  std::int64_t hidden = 64;     ///< H
  Cell cell = Cell::gru;
  std::int64_t layers = 1;
  std::optional<Bridge> bridge = std::nullopt;        ///< the decoder's own, unless given
  std::optional<ReadoutForm> readout = std::nullopt;  ///< the decoder's own, unless given
  std::int64_t maxout = 64;                           ///< the size of t, where the readout is a maxout
  double dropout = 0;                                 ///< of E y, between layers, and of what is read out
  bool tied = false;                                  ///< whether W_o is E
  Tensor rows = {};                                   ///< E, shared with the encoder; undefined for its own
};

/// What the decoders of the papers have in common. At step t
///
///     c_t = a context, by which they differ
///     s_t = cell([E y_{t−1}; c_t], s_{t−1})          in layers; s_t is the top one's
///     logits_t = readout of s_t, c_t and E y_{t−1}   by ReadoutForm
///
/// Modules: `embedding`, `W_s` where the bridge has a matrix, `rnn`, `readout`. State: `s` (B, H), the top
/// layer's; below it `s.0`, `s.1` …; with an LSTM `cell.0` … of all layers.
class RecurrentDecoder : public nn::DecoderStep {
 public:
  /// @throws Error when the encoder does not give what the bridge reads.
  Start start(const nn::Annotations& annotations) const override;
  Output step(const Tensor& previous, const nn::State& state, const nn::Memory& memory) const override;
  /// All steps, read out together; but step by step in a class derived from a decoder of this library, whose
  /// steps may be others.
  Tensor forward(const Start& start, const Tensor& target_in, const Packing& targets) const override;
  /// Not for classes derived from the decoders here.
  bool can_be_shared() const override;

  nn::Embedding embedding;
  std::optional<nn::Linear> W_s;
  const std::unique_ptr<nn::Recurrent> rnn;
  Readout readout;

 protected:
  /// What a decoder is, before it has its options.
  struct Form {
    const char* name;            ///< for messages
    const std::type_info& type;  ///< of the class whose step and start are the ones here
    std::int64_t context;        ///< the size of c_t; 0 without
    std::int64_t summary;        ///< the size of what the bridge reads, when it reads all
    Bridge bridge;               ///< unless the options say another, and so is
    ReadoutForm readout;
  };
  /// @throws Error for sizes below 1.
  RecurrentDecoder(const Form& form, const DecoderOptions& options);

  /// c_t from the state before, what the next state holds beside s_t, and the weights, if there are any.
  struct Look {
    Tensor context;
    NamedTensors kept;
    Tensor weights;
  };
  virtual Look look(const nn::State& before, const nn::Memory& memory) const = 0;

  /// What is read out beside E y_{t−1} at every real step, packed: [s_t; c_t] or what else ReadoutForm says.
  /// Goes step by step, by look(); a decoder that knows a faster way to the same numbers says it.
  /// @param y E y_{t−1}, (N, E), packed
  virtual Tensor unroll(const Tensor& y, const Start& start, const Packing& targets) const;
  /// The same where no c_t depends on a state: one run over the whole sequence.
  /// @param context c, (B, ·), or undefined
  Tensor unroll_whole(const Tensor& y, const Tensor& context, const nn::State& first,
                      const Packing& targets) const;

  /// The state of `rnn` in a decoder's state, and a decoder's state of it and of what else it keeps.
  nn::RecurrentState cells(const nn::State& state) const;
  nn::State state_of(const nn::RecurrentState& cells, const NamedTensors& kept, std::int64_t step) const;

  /// s_0 by the bridge, from the encoder's states or, where it reads all, from one vector, (B, ·).
  nn::RecurrentState bridge(const nn::Annotations& annotations) const;
  nn::RecurrentState bridge(const Tensor& summary) const;
  /// [→h_T; ←h_1], or →h_T when the encoder has one direction.
  static Tensor summary(const nn::Annotations& annotations);

  Tensor embed(const Tensor& tokens) const;
  /// What is read out beside E y of s_t (or s_{t−1}) and c_t, and the logits (…, V) of that.
  Tensor features(const Tensor& s, const Tensor& context) const;
  Tensor read(const Tensor& features, const Tensor& y) const;
  Tensor read_out(const Tensor& features, const Tensor& y) const;
  bool reads_earlier_state() const { return form_ == ReadoutForm::maxout_earlier; }
  bool reads_state_alone() const { return form_ == ReadoutForm::state; }
  std::int64_t context_size() const { return context_size_; }
  double dropout() const { return dropout_; }

 private:
  const char* name_;
  const std::type_info& type_;
  Bridge bridge_;
  ReadoutForm form_;
  std::int64_t context_size_;
  double dropout_;
};

}  // namespace gradus::models
#pragma GCC visibility pop
