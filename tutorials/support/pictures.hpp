#pragma once

#include <string>
#include <vector>

#include "results.hpp"

namespace tutorial {

/// Training losses as curves, each point the mean of 10 steps.
std::string loss_curves(const std::vector<Result>& results);

/// Exact match by length as grouped bars.
std::string exact_match_bars(const std::vector<Result>& results);

}  // namespace tutorial
