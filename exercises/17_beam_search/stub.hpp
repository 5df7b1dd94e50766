#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "17_beam_search/search.hpp"
#include "kit/finding.hpp"

using namespace search;

// The finished hypothesis with the best score that a beam of options.width hypotheses finds.
inline Hypothesis beam_search(const Model& /*model*/, const Options& /*options*/) {
  // TODO
  exercise::to_do(
      "Write beam_search(model, options): in each step continue all live hypotheses, keep the K likeliest, "
      "and "
      "freeze those that end in EOS.");
}
