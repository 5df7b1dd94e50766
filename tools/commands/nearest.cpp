#include "commands/nearest.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace gradus::tools {
namespace {

// Levenshtein distance. distances[j] is the distance between b[0, j) and the letters of `a` read so far.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> distances(b.size() + 1);
  std::iota(distances.begin(), distances.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = distances[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = distances[j + 1];
      distances[j + 1] = std::min({changed, diagonal + 1, distances[j] + 1});
    }
  }
  return distances.back();
}

}  // namespace

std::string nearest(std::string_view given, std::span<const std::string> names) {
  std::string best;
  std::size_t least = std::min<std::size_t>(3, (given.size() + 1) / 2);
  for (const std::string& name : names) {
    const std::size_t to_name = distance(given, name);
    if (to_name >= least) continue;
    least = to_name;
    best = name;
  }
  return best;
}

}  // namespace gradus::tools
