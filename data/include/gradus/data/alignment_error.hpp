#pragma once

#include <compare>
#include <cstdint>
#include <set>
#include <span>

#pragma GCC visibility push(default)
namespace gradus::data {

/// A link between a source word and a target word, given by their indices from 0.
struct Link {
  std::int64_t source, target;

  auto operator<=>(const Link&) const = default;
};

/// Links each target word to the source word with the largest attention weight, the first on ties.
/// @param weights       (target_steps, source_steps) row-major.
/// @param source_steps  1 to 1000000.
/// @throws gradus::Error if the number of weights is not a multiple of `source_steps`, `source_steps` is out
///         of range, or a weight is NaN.
std::set<Link> strongest_links(std::span<const float> weights, std::int64_t source_steps);
std::set<Link> strongest_links(std::span<const double> weights, std::int64_t source_steps);

/// The alignment error rate of Och and Ney (2003). Compares the found links A with links that people
/// annotated: the sure links S and the possible links P ⊇ S. Counts are summed over sentences:
///
///     AER = 1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|)
struct AlignmentError {
  std::int64_t links = 0, sure = 0;                       ///< |A| and |S|
  std::int64_t matching_sure = 0, matching_possible = 0;  ///< |A ∩ S| and |A ∩ P|

  /// Adds one sentence.
  /// @param possible_too  the possible links; sure links may be included or left out.
  void add(const std::set<Link>& found, const std::set<Link>& sure_links, const std::set<Link>& possible_too);

  AlignmentError& operator+=(const AlignmentError& other);

  double rate() const;       ///< AER, in [0, 1]; NaN if A and S are empty
  double precision() const;  ///< |A ∩ P| / |A|
  double recall() const;     ///< |A ∩ S| / |S|
};

}  // namespace gradus::data
#pragma GCC visibility pop
