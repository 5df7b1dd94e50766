#pragma once

#include <gradus/models/decoded.hpp>
#include <gradus/models/ensemble.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::models {

/// The maximum output length, including EOS: a constant or, by default, 2 · n + 10. For a source of tokens, n
/// is the number of tokens. For a source of vectors, n is the number of annotations. The maximum length does
/// not depend on the other sources in a batch.
class MaxSteps {
 public:
  MaxSteps() = default;
  MaxSteps(std::int64_t steps) : per_source_token_(0), constant_(steps) {}  // NOLINT: implicit on purpose

  /// The same maximum lengths, raised to at least `steps`.
  MaxSteps at_least(std::int64_t steps) const {
    MaxSteps raised = *this;
    raised.least_ = std::max(least_, steps);
    return raised;
  }

  std::int64_t of(std::int64_t source_length) const {
    return std::max(least_, per_source_token_ * source_length + constant_);
  }

 private:
  std::int64_t per_source_token_ = 2, constant_ = 10, least_ = 0;
};

/// Decodes a batch; returns at least one output per source, best first.
///
/// Searches write only ordinary tokens and EOS, even if PAD or BOS is likelier. If EOS and all ordinary
/// tokens have probability 0, the output ends in EOS. The softmax is taken over the whole vocabulary, so that
/// log-probabilities are comparable with those of given targets (force_decode()).
/// Searches do not change the model's mode. Call eval() first to turn off dropout.
///
/// @param model   a Seq2Seq, or several as an Ensemble
/// @param source  (T, B), i64, or vectors (T, B, ·)
/// @param lengths (B), i64
/// @throws Error if a logit is NaN or +∞, if all logits of a row are −∞, and as the model does. Also throws
/// if the members of an ensemble differ in the size of the target vocabulary, in
/// Encoder::steps_per_annotation() or in `silence`.
using Search = std::function<std::vector<std::vector<Decoded>>(
    const Ensemble& model, const Tensor& source, const Tensor& lengths, const MaxSteps& max_steps)>;

}  // namespace gradus::models
#pragma GCC visibility pop
