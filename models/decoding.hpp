#pragma once

#include <gradus/autograd/runtime.hpp>
#include <gradus/data/tokens.hpp>
#include <gradus/models/seq2seq.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace gradus::models {

// What a step says of the next token of each row.
class Prediction {
 public:
  // logits (rows, V) and weights (rows, T), or undefined. Throws when a row's softmax is NaN.
  Prediction(const Tensor& logits, const Tensor& weights);

  std::int64_t vocabulary() const { return log_p_.size(1); }
  const Tensor& weights() const { return weights_; }

  // ln p of the tokens that may be written: element i is that of token i + first_written.
  std::span<const float> log_probabilities(std::int64_t row) const;
  double log_probability(std::int64_t row, std::int64_t token) const;
  // The lowest id of equal ones.
  std::int64_t likeliest(std::int64_t row) const;

  // PAD and BOS, the ids before it, never are.
  static constexpr std::int64_t first_written = data::eos;

 private:
  Tensor log_p_, weights_;
};

// Rows on their way through a decoder, each with a source to look back at.
class Decoding {
 public:
  // One row a source of the batch.
  Decoding(const Seq2Seq& model, const Tensor& source, const Tensor& lengths);

  Prediction step(const std::vector<std::int64_t>& previous);
  // Goes on with these rows in place of those there were: repeated, reordered, left out.
  void select(const std::vector<std::int64_t>& rows);

 private:
  NoGrad no_grad_;
  const nn::DecoderStep& decoder_;
  nn::DecoderStep::Start at_;          // the state now
  std::vector<std::int64_t> sources_;  // of each row, in the batch
};

// The weights of one output, (tokens, length): row rows[t] of step t, over the source's real positions.
// Undefined when there is no token, or no attention.
Tensor alignment(const std::vector<Tensor>& steps, const std::vector<std::int64_t>& rows,
                 std::int64_t length);

}  // namespace gradus::models
