#include <gradus/data/reversal_alignment.hpp>

#include "check.hpp"

namespace gradus::data {
namespace {

template <typename Weight>
AlignmentScore score_reversal(std::span<const Weight> weights, std::int64_t length,
                              std::int64_t source_steps) {
  check_range("reversal_alignment", "length", length, 1, "give the source's length without padding");
  check_range("reversal_alignment", "source_steps", source_steps, length,
              "the weights must cover the whole source");
  if (std::ssize(weights) != length * source_steps) {
    fail("reversal_alignment: found ", weights.size(), " weights, but (length, source_steps) = (", length,
         ", ", source_steps, ") needs ", length * source_steps, "; omit the row of the EOS step");
  }
  AlignmentScore score;
  for (std::int64_t t = 0; t < length; ++t) {
    score.add(weights.subspan(t * source_steps, source_steps), length - 1 - t);
  }
  return score;
}

}  // namespace

AlignmentScore reversal_alignment(std::span<const float> weights, std::int64_t length,
                                  std::int64_t source_steps) {
  return score_reversal(weights, length, source_steps);
}

AlignmentScore reversal_alignment(std::span<const double> weights, std::int64_t length,
                                  std::int64_t source_steps) {
  return score_reversal(weights, length, source_steps);
}

}  // namespace gradus::data
