#include "search/decoding.hpp"

#include <gradus/autograd/ops.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace gradus::models {
namespace {

std::vector<std::int64_t> first_numbers(std::int64_t n) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(n));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

}  // namespace

Prediction::Prediction(const Tensor& logits, const Tensor& weights)
    : weights_(weights.defined() ? weights.to(Dtype::f32) : weights) {
  if (logits.rank() != 2 || logits.size(1) <= first_written) {
    fail("decode", "the logits are ", logits.shape(), " and must be (B, V) with V above the id of EOS, ",
         data::eos);
  }
  log_p_ = log_softmax(logits.to(Dtype::f32));
  for (std::int64_t row = 0; row < log_p_.size(0); ++row) {
    // One logit that is NaN or +∞ makes its whole row NaN.
    if (!std::isnan(log_probabilities(row).front())) continue;
    fail("decode",
         "the decoder's logits hold NaN or infinity; check the parameters, or decode under "
         "DetectAnomaly");
  }
}

std::span<const float> Prediction::log_probabilities(std::int64_t row) const {
  const auto V = static_cast<std::size_t>(vocabulary());
  return log_p_.values<float>().subspan(static_cast<std::size_t>(row) * V, V).subspan(first_written);
}

double Prediction::log_probability(std::int64_t row, std::int64_t token) const {
  return log_probabilities(row)[static_cast<std::size_t>(token - first_written)];
}

std::int64_t Prediction::likeliest(std::int64_t row) const {
  const std::span<const float> all = log_probabilities(row);
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

Rows::Rows(std::int64_t sources) : sources_(first_numbers(sources)) {}

void Rows::select(const std::vector<std::int64_t>& rows, nn::DecoderStep::Start& at) {
  if (rows == first_numbers(std::ssize(sources_))) return;
  std::vector<std::int64_t> sources;
  for (const std::int64_t row : rows) sources.push_back(sources_[static_cast<std::size_t>(row)]);
  const Tensor chosen = tensor(rows);
  at.state = at.state.select(chosen);
  // Usually rows are only permuted within their source. The memory then stays the same, because all rows of a
  // source have equal memory.
  if (sources != sources_) at.memory = at.memory.select(chosen);
  sources_ = std::move(sources);
}

Tensor alignment(const std::vector<Tensor>& steps, const std::vector<std::int64_t>& rows,
                 std::int64_t length) {
  if (rows.empty() || !steps.front().defined()) return {};
  Tensor result = empty({std::ssize(rows), length});
  auto to = result.mutable_values<float>().begin();
  for (std::size_t t = 0; t < rows.size(); ++t) {
    const Tensor row = steps[t][rows[t]];
    to = std::ranges::copy(row.values<float>().first(static_cast<std::size_t>(length)), to).out;
  }
  return result;
}

}  // namespace gradus::models
