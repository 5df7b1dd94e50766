#pragma once

#include <gradus/plot/curves.hpp>

#include <string>
#include <vector>

#include "support/measures/results.hpp"

namespace tutorial {

/// The losses of a training run as a curve. Each point is the mean of 10 steps.
gradus::plot::Series smoothed(const std::string& name, const std::vector<double>& losses);

/// The smoothed losses of all results as a picture.
std::string loss_curves(const std::vector<Result>& results);

/// Exact match by length, a line per model. A dashed last line leaves the lines beneath it visible.
std::string exact_match_curves(const std::vector<Result>& results, bool last_is_dashed = false);

}  // namespace tutorial
