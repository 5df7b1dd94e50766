#include "search/prediction.hpp"

#include <gradus/autograd/ops.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace gradus::models {
namespace {

// ln softmax of the logits.
Tensor log_probabilities_of(const Tensor& logits) {
  if (logits.rank() != 2 || logits.size(1) <= Prediction::first_written) {
    fail("decode", "the logits are ", logits.shape(), " and must be (B, V) with V above the id of EOS, ",
         data::eos);
  }
  Tensor log_p = log_softmax(logits.to(Dtype::f32));
  const std::span<const float> values = log_p.values<float>();
  for (std::size_t at = 0; at < values.size(); at += static_cast<std::size_t>(log_p.size(1))) {
    // If a logit of a row is NaN or +∞, or all are −∞, all results of the row are NaN.
    if (!std::isnan(values[at])) continue;
    fail("decode",
         "the decoder's logits hold NaN or infinity; check the parameters, or decode under "
         "DetectAnomaly");
  }
  return log_p;
}

// The logarithm of the mean of the members' probabilities.
Tensor log_mean(const std::vector<Tensor>& log_ps) {
  if (log_ps.size() == 1) return log_ps.front();
  for (const Tensor& log_p : log_ps) {
    if (log_p.size(1) == log_ps.front().size(1)) continue;
    fail("decode", "the ensemble's members have ", log_ps.front().size(1), " and ", log_p.size(1),
         " target tokens; give models with the same vocabularies");
  }
  return logsumexp(stack(log_ps), Axes{0}) - std::log(static_cast<double>(log_ps.size()));
}

// The mean of the members' weights, (rows, T), in f32; undefined if no member has weights.
Tensor mean_of_weights(const std::vector<Tensor>& weights) {
  if (weights.empty()) return {};
  Tensor sum = weights.front().to(Dtype::f32);
  for (const Tensor& other : std::span(weights).subspan(1)) sum = sum + other.to(Dtype::f32);
  return weights.size() == 1 ? sum : sum / static_cast<double>(weights.size());
}

}  // namespace

Prediction::Prediction(std::span<const nn::DecoderStep::Output> members) {
  std::vector<Tensor> log_ps, weights;
  for (const nn::DecoderStep::Output& output : members) {
    log_ps.push_back(log_probabilities_of(output.logits));
    if (output.weights.defined()) weights.push_back(output.weights);
  }
  log_p_ = log_mean(log_ps);
  weights_ = mean_of_weights(weights);
}

std::span<const float> Prediction::log_probabilities(std::int64_t row) const {
  const auto V = static_cast<std::size_t>(vocabulary());
  return log_p_.values<float>().subspan(static_cast<std::size_t>(row) * V, V).subspan(first_written);
}

double Prediction::log_probability(std::int64_t row, std::int64_t token) const {
  return log_probabilities(row)[static_cast<std::size_t>(token - first_written)];
}

std::int64_t Prediction::likeliest(std::span<const float> all) {
  float largest = -std::numeric_limits<float>::infinity();
  std::span<const float> where = all;  // the first block that contains the maximum
  for (std::size_t begin = 0; begin < all.size(); begin += 64) {
    const std::span<const float> some = all.subspan(begin, std::min<std::size_t>(64, all.size() - begin));
    float best = some.front();  // this loop vectorises, std::max_element does not
#pragma omp simd reduction(max : best)
    for (std::size_t i = 1; i < some.size(); ++i) best = best < some[i] ? some[i] : best;
    if (best > largest) {
      largest = best;
      where = some;
    }
  }
  return &*std::ranges::find(where, largest) - all.data() + first_written;
}

}  // namespace gradus::models
