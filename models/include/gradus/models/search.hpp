#pragma once

#include <gradus/models/decoded.hpp>
#include <gradus/models/seq2seq.hpp>

#include <cstdint>
#include <functional>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::models {

/// How many tokens are written, EOS included, before decoding stops without one: twice the source's length
/// and ten more, or a number that is the same for every source. It depends on the source alone, not on the
/// batch that it comes in.
class MaxSteps {
 public:
  MaxSteps() = default;
  MaxSteps(std::int64_t steps) : per_source_token_(0), constant_(steps) {}  // NOLINT: a number is one

  std::int64_t of(std::int64_t source_length) const { return per_source_token_ * source_length + constant_; }

 private:
  std::int64_t per_source_token_ = 2, constant_ = 10;
};

/// A way to decode a batch: for each source what was found, best first, and at least one.
///
/// Every one of them writes ordinary tokens and EOS only. PAD and BOS are never chosen, whatever probability
/// the model gives them; it counts all the same: log-probabilities are those of the model's softmax over its
/// whole vocabulary, so that they can be compared with those of given targets (force()). The model is as the
/// caller left it: call eval() first, or its dropout acts.
///
/// @param source  (T, B), i64, or vectors (T, B, ·)
/// @param lengths (B), i64
/// @throws Error when logits are NaN or infinite, beside what the model itself throws.
using Search = std::function<std::vector<std::vector<Decoded>>(
    const Seq2Seq& model, const Tensor& source, const Tensor& lengths, const MaxSteps& max_steps)>;

}  // namespace gradus::models
#pragma GCC visibility pop
