#pragma once

#include <gradus/autograd/random.hpp>
#include <gradus/data/batch.hpp>
#include <gradus/models/seq2seq.hpp>

#include <cstdint>
#include <span>

#pragma GCC visibility push(default)
namespace gradus::models {

/// What is minimised; as it stands, the cross-entropy under teacher forcing.
struct LossOptions {
  double label_smoothing = 0;    ///< ε, in [0, 1]: as nn::masked_cross_entropy
  double attention_entropy = 0;  ///< λ: of nn::attention_entropy, added to the loss; below 0 it smooths
  /// In [0, 1]: how probable it is that the decoder reads what it likes best itself in place of the true
  /// token before, for each token on its own (Bengio et al. 2015, scheduled sampling, section 2.4, by arg
  /// max). The gradient does not go through the choice.
  double sampling = 0;

  /// @throws Error for an option out of range; `operation` begins the message.
  void check(const char* operation) const;
};

struct Loss {
  Tensor total;          ///< to be minimised, a scalar: a mean over the real target tokens
  double cross_entropy;  ///< in nats a token, whatever else is in the total; e to it is the perplexity
  std::int64_t tokens;   ///< real target tokens
};

/// The loss of a batch. Runs all steps at once where the decoder can and the options let it; with attention
/// entropy or sampling, step by step.
/// @param coins decides about sampling: a draw for each sequence at each step, when 0 < sampling < 1
/// @throws Error for an option out of range, and when the entropy of attention is asked of a decoder that has
/// none.
Loss loss(const Seq2Seq& model, const data::Batch& batch, const LossOptions& options = {},
          Generator& coins = default_generator());

/// The mean cross-entropy under teacher forcing over all target tokens of the pairs, in nats a token. The
/// model is put in eval mode.
/// @throws Error when there is no pair, and as data::make_batch; or for a batch size below 1.
double evaluate_loss(Seq2Seq& model, std::span<const data::Pair> pairs, std::int64_t batch_size = 250);

}  // namespace gradus::models
#pragma GCC visibility pop
