#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "17_beam_search/search.hpp"
#include "kit/finding.hpp"

using namespace search;

// Beam search of width options.width. Returns the finished hypothesis with the best score, or the live one
// with the best score if none is finished.
inline Hypothesis beam_search(const Model& /*model*/, const Options& /*options*/) {
  // TODO
  exercise::to_do(
      "Write beam_search(model, options): in each step continue all live hypotheses, keep the K likeliest, "
      "and set aside those that end in EOS.");
}
