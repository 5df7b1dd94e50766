#include <gradus/data/alignment_score.hpp>

#include "check.hpp"
#include "metrics/ratio.hpp"
#include "metrics/weights.hpp"

namespace gradus::data {
namespace {

template <typename Weight>
void add_step(AlignmentScore& score, std::span<const Weight> row, std::int64_t true_position) {
  if (true_position < 0 || true_position >= std::ssize(row)) {
    fail("AlignmentScore::add: true_position is ", true_position, ", but must be inside the row of ",
         row.size(), " weights; positions count from 0");
  }
  const std::int64_t position = largest_weight("AlignmentScore::add", row);
  score.steps += 1;
  score.right += position == true_position;
  score.weight_sum += row[true_position];
}

}  // namespace

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

double AlignmentScore::accuracy() const { return ratio(right, steps); }

double AlignmentScore::mean_weight() const { return ratio(weight_sum, steps); }

}  // namespace gradus::data
