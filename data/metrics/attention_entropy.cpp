#include <gradus/data/attention_entropy.hpp>

#include <algorithm>
#include <cmath>

#include "check.hpp"
#include "metrics/ratio.hpp"
#include "metrics/weights.hpp"

namespace gradus::data {
namespace {

template <typename Weight>
void check_row(std::span<const Weight> row) {
  if (row.empty()) fail("AttentionEntropy::add: the row is empty; give it at least one weight");
  check_weights("AttentionEntropy::add", row);
  const auto negative = std::ranges::find_if(row, [](Weight weight) { return weight < 0; });
  if (negative != row.end()) {
    fail("AttentionEntropy::add: the weight at position ", negative - row.begin(), " is ", *negative,
         ", but must not be negative; give weights, not scores");
  }
}

template <typename Weight>
double entropy(std::span<const Weight> row) {
  double nats = 0;
  for (const double weight : row) {
    if (weight > 0) nats -= weight * std::log(weight);
  }
  return nats;
}

template <typename Weight>
void add_row(AttentionEntropy& sum, std::span<const Weight> row) {
  check_row(row);
  const double nats = entropy(row);
  sum.rows += 1;
  sum.nats_sum += nats;
  if (row.size() > 1) sum.normalised_sum += nats / std::log(static_cast<double>(row.size()));
}

}  // namespace

void AttentionEntropy::add(std::span<const float> row) { add_row(*this, row); }

void AttentionEntropy::add(std::span<const double> row) { add_row(*this, row); }

AttentionEntropy& AttentionEntropy::operator+=(const AttentionEntropy& other) {
  rows += other.rows;
  nats_sum += other.nats_sum;
  normalised_sum += other.normalised_sum;
  return *this;
}

double AttentionEntropy::nats() const { return ratio(nats_sum, rows); }

double AttentionEntropy::normalised() const { return ratio(normalised_sum, rows); }

}  // namespace gradus::data
