#pragma once

#include <gradus/autograd/packing.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/data/batch.hpp>
#include <gradus/models/seq2seq.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::models {

/// A batch, and the model's output for this batch. An argument of Objective::value().
struct ForcedPass {
  Tensor source, source_lengths;  ///< as in Seq2Seq::forward
  Tensor target_in;               ///< (T_y, B), i64: BOS y_1 … y_{n−1}
  Packing targets;                ///< positions of the real target tokens
  Tensor logits;                  ///< (N, V), packed
  std::vector<Tensor> weights;    ///< (B, T_x) for each step if the decoder ran step by step, else empty
};

/// A loss that replaces the cross-entropy, such as one that also compares the model with a teacher
/// (compress::distillation).
struct Objective {
  /// Returns the scalar to minimise: a mean over the real target tokens.
  /// @param loss the loss that would be minimised without an objective
  std::function<Tensor(const ForcedPass& pass, const Tensor& loss)> value = {};
  bool reads_weights = false;  ///< if true, the decoder runs step by step and ForcedPass::weights is filled
  bool can_be_shared = true;   ///< threads may call value() concurrently for parts of a batch
};

/// The training loss; by default the cross-entropy under teacher forcing.
struct LossOptions {
  double label_smoothing = 0;     ///< ε, in [0, 1], as in nn::masked_cross_entropy
  double attention_entropy = 0;   ///< λ: weight of nn::attention_entropy in the loss; λ < 0 raises entropy
  double attention_coverage = 0;  ///< λ ≥ 0: weight of nn::coverage_loss in the loss
  /// The probability in [0, 1] that the decoder reads its own likeliest token instead of the true previous
  /// token. The choice is independent for each token (scheduled sampling with arg max, Bengio et al. 2015,
  /// section 2.4). No gradient flows through the choice.
  double sampling = 0;
  Objective objective = {};  ///< replaces the loss if its `value` is set

  /// @throws Error if an option is out of range, or if an objective and `sampling` are both used. The message
  /// begins with `operation`.
  void check(const char* operation) const;
};

struct Loss {
  Tensor total;          ///< the loss to minimise, a scalar: a mean over the real target tokens
  double cross_entropy;  ///< in nats per token, without smoothing or other terms; ln of the perplexity
  std::int64_t tokens;   ///< real target tokens
};

/// The loss of a batch. If the decoder draws positions in training (Estimator::reinforce), the loss includes
/// nn::reinforce_loss(), whose value is 0. The decoder runs step by step if it draws positions, or if the
/// options ask for attention entropy, coverage, sampling, or an objective that reads attention weights.
/// Otherwise the decoder's forward() runs, and threads may split the batch (see Seq2Seq::can_be_shared()). A
/// sequence's dropout masks do not depend on the thread that computes the sequence.
/// @param coins draws the choices of `sampling`: if 0 < sampling < 1, one number for each sequence at each
/// step except the first
/// @throws Error as LossOptions::check() does. Also throws if the options ask for attention entropy or
/// coverage, and the decoder has no attention or draws positions.
Loss loss(const Seq2Seq& model, const data::Batch& batch, const LossOptions& options = {},
          Generator& coins = default_generator());
/// The loss as above, but with `source`, (T_x, B, D) or (T_x, B), and its lengths, (B), in place of the
/// batch's own source.
Loss loss(const Seq2Seq& model, const Tensor& source, const Tensor& source_lengths,
          const data::Batch& targets, const LossOptions& options = {},
          Generator& coins = default_generator());

/// The cross-entropy under teacher forcing in nats per token, averaged over all target tokens of the pairs.
/// Puts the model into eval mode.
/// @throws Error if there are no pairs, if the batch size is below 1, and for a pair that data::make_batch
/// refuses.
double evaluate_loss(Seq2Seq& model, std::span<const data::Pair> pairs, std::int64_t batch_size = 250);

}  // namespace gradus::models
#pragma GCC visibility pop
