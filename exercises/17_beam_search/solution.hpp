#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "17_beam_search/search.hpp"

using namespace search;

// Beam search of width options.width. Returns the finished hypothesis with the best score, or the live one
// with the best score if none is finished.
inline Hypothesis beam_search(const Model& model, const Options& options) {
  std::vector<Hypothesis> live = {{}}, finished;
  for (std::int64_t t = 1; t <= options.max_length && !live.empty(); ++t) {
    std::vector<Hypothesis> all;  // every continuation of every live hypothesis
    for (const Hypothesis& beginning : live) {
      const std::vector<double> log_p = model.log_p(beginning.y);
      for (std::size_t token = 0; token < log_p.size(); ++token) {
        Hypothesis longer = beginning;
        longer.y.push_back(static_cast<std::int64_t>(token));
        longer.log_p += log_p[token];
        longer.score = longer.log_p / std::pow((5 + static_cast<double>(t)) / 6, options.alpha);
        all.push_back(std::move(longer));
      }
    }
    // All hypotheses in the list have length t, so their sums can be compared.
    std::ranges::sort(all, std::ranges::greater(), &Hypothesis::log_p);
    all.resize(std::min(all.size(), static_cast<std::size_t>(options.width)));
    live.clear();
    for (const Hypothesis& kept : all) (kept.y.back() == model.eos ? finished : live).push_back(kept);
  }
  return std::ranges::max(finished.empty() ? live : finished, std::ranges::less(), &Hypothesis::score);
}
