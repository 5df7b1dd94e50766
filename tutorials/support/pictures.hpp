#pragma once

#include <gradus/plot/curves.hpp>

#include <string>
#include <vector>

#include "results.hpp"

namespace tutorial {

/// The losses of every step as a curve, each point the mean of 10.
gradus::plot::Series smoothed(const std::string& name, const std::vector<double>& losses);

/// Training losses as such curves.
std::string loss_curves(const std::vector<Result>& results);

/// Exact match by length as grouped bars.
std::string exact_match_bars(const std::vector<Result>& results);

}  // namespace tutorial
