#include "word_order.hpp"

#include <gradus/data/tokens.hpp>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tutorial {

namespace plot = gradus::plot;

namespace {

struct Look {
  std::ptrdiff_t at;
  double weight;
};

// For each written word, the source position with its largest weight.
std::vector<Look> looks(const plot::Heatmap& alignment) {
  const auto T = static_cast<std::ptrdiff_t>(alignment.columns.size());
  std::vector<Look> found;
  auto row = alignment.values.begin();
  for (const std::string& word : alignment.rows) {
    const auto largest = std::max_element(row, row + T);
    if (word != "<eos>") found.push_back({largest - row, *largest});
    row += T;
  }
  return found;
}

double crossing(const plot::Heatmap& alignment) {
  const std::vector<Look> looked = looks(alignment);
  double surest = 0;
  for (auto later = looked.begin(); later != looked.end(); ++later) {
    for (auto before = looked.begin(); before != later; ++before) {
      if (before->at > later->at) surest = std::max(surest, before->weight * later->weight);
    }
  }
  return surest;
}

}  // namespace

plot::Heatmap word_alignment(const gradus::models::Decoded& written, const Language& target,
                             const Words& source) {
  const Words words = target.vocabulary.decode(written.tokens);
  plot::Heatmap alignment{.title = target.text(words),
                          .columns = source,
                          .rows = words,
                          .values = written.weights.to_vector<double>()};
  if (written.tokens.back() == gradus::data::eos) alignment.rows.push_back("<eos>");
  return alignment;
}

std::vector<plot::Heatmap> most_crossing(std::vector<plot::Heatmap> alignments, std::size_t count) {
  std::ranges::stable_sort(alignments, std::ranges::greater(), crossing);
  std::set<std::vector<std::string>> sources;
  std::erase_if(alignments, [&](const plot::Heatmap& one) { return !sources.insert(one.columns).second; });
  if (alignments.size() > count) alignments.resize(count);
  return alignments;
}

}  // namespace tutorial
