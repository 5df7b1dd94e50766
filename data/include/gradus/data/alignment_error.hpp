#pragma once

#include <compare>
#include <cstdint>
#include <set>
#include <span>

#pragma GCC visibility push(default)
namespace gradus::data {

/// Word `source` and word `target` belong together; both count from 0.
struct Link {
  std::int64_t source, target;

  auto operator<=>(const Link&) const = default;
};

/// The links that soft weights make: of every target word to the source word with the largest weight, the
/// first of equal ones.
/// \param weights       (target_steps, source_steps) row-major.
/// \param source_steps  1 to 1000000.
/// \throws gradus::Error if the weights are no whole rows, or one is NaN.
std::set<Link> strongest_links(std::span<const float> weights, std::int64_t source_steps);
std::set<Link> strongest_links(std::span<const double> weights, std::int64_t source_steps);

/// Links A against those that people made, the sure S and the possible P ⊇ S, summed over sentences: the
/// alignment error rate of Och and Ney (2003),
///
///     AER = 1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|)
struct AlignmentError {
  std::int64_t links = 0, sure = 0;                       ///< |A| and |S|
  std::int64_t matching_sure = 0, matching_possible = 0;  ///< |A ∩ S| and |A ∩ P|

  /// Counts one sentence.
  /// \param possible_too  those that are possible and not sure; it does no harm to list the sure ones again.
  void add(const std::set<Link>& found, const std::set<Link>& sure_links, const std::set<Link>& possible_too);

  AlignmentError& operator+=(const AlignmentError& other);

  double rate() const;       ///< AER, in [0, 1]; NaN without any link
  double precision() const;  ///< |A ∩ P| / |A|
  double recall() const;     ///< |A ∩ S| / |S|
};

}  // namespace gradus::data
#pragma GCC visibility pop
