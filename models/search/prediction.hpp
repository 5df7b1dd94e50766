#pragma once

#include <gradus/data/tokens.hpp>
#include <gradus/nn/decoder_step.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace gradus::models {

// The probabilities of each row's next token, at one step.
class Prediction {
 public:
  // Combines the outputs of an ensemble's members: logits (rows, V), and weights (rows, T) or undefined.
  // Throws if V is not above the id of EOS, if the members differ in V, or if a row's softmax is NaN.
  explicit Prediction(std::span<const nn::DecoderStep::Output> members);

  std::int64_t vocabulary() const { return log_p_.size(1); }
  const Tensor& weights() const { return weights_; }

  // ln p of the tokens that may be written. Element i belongs to token i + first_written.
  std::span<const float> log_probabilities(std::int64_t row) const;
  double log_probability(std::int64_t row, std::int64_t token) const;
  // The likeliest of the tokens that may be written; the lowest id on ties.
  std::int64_t likeliest(std::int64_t row) const { return likeliest(log_probabilities(row)); }
  // As above, for the given log-probabilities.
  static std::int64_t likeliest(std::span<const float> all);

  // The lowest id that may be written. The lower ids, PAD and BOS, are never written.
  static constexpr std::int64_t first_written = data::eos;

 private:
  Tensor log_p_, weights_;
};

}  // namespace gradus::models
