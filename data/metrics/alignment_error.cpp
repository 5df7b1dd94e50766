#include <gradus/data/alignment_error.hpp>

#include <algorithm>
#include <iterator>

#include "check.hpp"
#include "metrics/ratio.hpp"
#include "metrics/weights.hpp"

namespace gradus::data {
namespace {

template <typename Weight>
std::set<Link> links_of(std::span<const Weight> weights, std::int64_t source_steps) {
  check_range("strongest_links", "source_steps", source_steps, 1, "a row of weights must cover the source");
  if (std::ssize(weights) % source_steps != 0) {
    fail("strongest_links: found ", weights.size(),
         " weights, which is not a multiple of source_steps = ", source_steps,
         "; give them as (target_steps, source_steps)");
  }
  std::set<Link> links;
  for (std::int64_t t = 0; t < std::ssize(weights) / source_steps; ++t) {
    links.insert({largest_weight("strongest_links", weights.subspan(t * source_steps, source_steps)), t});
  }
  return links;
}

}  // namespace

std::set<Link> strongest_links(std::span<const float> weights, std::int64_t source_steps) {
  return links_of(weights, source_steps);
}

std::set<Link> strongest_links(std::span<const double> weights, std::int64_t source_steps) {
  return links_of(weights, source_steps);
}

void AlignmentError::add(const std::set<Link>& found, const std::set<Link>& sure_links,
                         const std::set<Link>& possible_too) {
  links += std::ssize(found);
  sure += std::ssize(sure_links);
  for (const Link& link : found) {
    matching_sure += sure_links.contains(link);
    matching_possible += sure_links.contains(link) || possible_too.contains(link);
  }
}

AlignmentError& AlignmentError::operator+=(const AlignmentError& other) {
  links += other.links;
  sure += other.sure;
  matching_sure += other.matching_sure;
  matching_possible += other.matching_possible;
  return *this;
}

double AlignmentError::rate() const { return 1 - ratio(matching_sure + matching_possible, links + sure); }

double AlignmentError::precision() const { return ratio(matching_possible, links); }

double AlignmentError::recall() const { return ratio(matching_sure, sure); }

}  // namespace gradus::data
