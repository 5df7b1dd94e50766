#include <gradus/data/metrics.hpp>
#include <gradus/data/tokens.hpp>

#include <algorithm>
#include <cmath>

#include "check.hpp"

namespace gradus::data {
namespace {

// NaN for 0 / 0.
double ratio(double part, std::int64_t whole) { return part / static_cast<double>(whole); }

template <typename Weight>
void add_step(AlignmentScore& score, std::span<const Weight> row, std::int64_t true_position) {
  if (true_position < 0 || true_position >= std::ssize(row)) {
    fail("AlignmentScore::add: true_position is ", true_position, ", but must be inside the row of ",
         row.size(), " weights; positions count from 0");
  }
  const auto nan = std::ranges::find_if(row, [](Weight weight) { return std::isnan(weight); });
  if (nan != row.end()) {
    fail("AlignmentScore::add: the weight at position ", nan - row.begin(),
         " is NaN; look for its source in the model");
  }
  const auto largest = std::ranges::max_element(row) - row.begin();
  score.steps += 1;
  score.right += largest == true_position;
  score.weight_sum += row[true_position];
}

}  // namespace

bool matches_exactly(std::span<const std::int64_t> prediction, std::span<const std::int64_t> target) {
  const auto end = std::ranges::find(target, eos);
  if (end == target.end())
    fail("matches_exactly: the target holds no EOS (2); append it, targets end in EOS");
  // The target's EOS makes the prediction's fall on the same place.
  const auto content = target.first(end - target.begin() + 1);
  return prediction.size() >= content.size() && std::ranges::equal(prediction.first(content.size()), content);
}

double exact_match(std::span<const std::vector<std::int64_t>> predictions,
                   std::span<const std::vector<std::int64_t>> targets) {
  if (predictions.size() != targets.size()) {
    fail("exact_match: there are ", predictions.size(), " predictions for ", targets.size(),
         " targets; give one prediction for each");
  }
  MatchCount all;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    all.count += 1;
    all.right += matches_exactly(predictions[i], targets[i]);
  }
  return all.fraction();
}

double MatchCount::fraction() const { return ratio(static_cast<double>(right), count); }

void ExactMatchByLength::add(std::int64_t source_length, bool right) {
  if (source_length < 1) {
    fail("ExactMatchByLength::add: source_length is ", source_length,
         ", but must be at least 1; give the length without padding");
  }
  MatchCount& row = rows_[source_length];
  row.count += 1;
  row.right += right;
}

MatchCount ExactMatchByLength::total() const {
  MatchCount all;
  for (const auto& [length, row] : rows_) {
    all.count += row.count;
    all.right += row.right;
  }
  return all;
}

void AlignmentScore::add(std::span<const float> row, std::int64_t true_position) {
  add_step(*this, row, true_position);
}

void AlignmentScore::add(std::span<const double> row, std::int64_t true_position) {
  add_step(*this, row, true_position);
}

AlignmentScore& AlignmentScore::operator+=(const AlignmentScore& other) {
  steps += other.steps;
  right += other.right;
  weight_sum += other.weight_sum;
  return *this;
}

double AlignmentScore::accuracy() const { return ratio(static_cast<double>(right), steps); }

double AlignmentScore::mean_weight() const { return ratio(weight_sum, steps); }

}  // namespace gradus::data
