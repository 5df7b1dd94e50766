#include <gradus/data/edit_distance.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "metrics/ratio.hpp"

namespace gradus::data {

std::int64_t edit_distance(std::span<const std::string> a, std::span<const std::string> b) {
  // distance[j] is the distance between the first j tokens of `b` and the tokens of `a` read so far.
  std::vector<std::int64_t> distance(b.size() + 1);
  std::iota(distance.begin(), distance.end(), 0);
  for (const std::string& token : a) {
    std::int64_t diagonal = distance[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::int64_t replaced = diagonal + (token != b[j]);
      diagonal = distance[j + 1];
      distance[j + 1] = std::min({replaced, distance[j] + 1, distance[j + 1] + 1});
    }
  }
  return distance.back();
}

void ErrorRate::add(std::span<const std::string> hypothesis, std::span<const std::string> reference) {
  edits += edit_distance(hypothesis, reference);
  reference_length += std::ssize(reference);
}

ErrorRate& ErrorRate::operator+=(const ErrorRate& other) {
  edits += other.edits;
  reference_length += other.reference_length;
  return *this;
}

double ErrorRate::rate() const { return ratio(edits, reference_length); }

}  // namespace gradus::data
