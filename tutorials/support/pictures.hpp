#pragma once

#include <gradus/models/decoded.hpp>
#include <gradus/plot/curves.hpp>
#include <gradus/plot/heatmap.hpp>

#include <string>
#include <vector>

#include "results.hpp"

namespace tutorial {

/// The losses of a training as a curve. Each point is the mean of 10 steps.
gradus::plot::Series smoothed(const std::string& name, const std::vector<double>& losses);

/// The smoothed losses of several trainings as a picture.
std::string loss_curves(const std::vector<Result>& results);

/// Exact match by length, a line per model. A dashed last line leaves the lines beneath it visible.
std::string exact_match_curves(const std::vector<Result>& results, bool last_is_dashed = false);

/// The attention weights as a heatmap: a row per written token, a column per source token.
gradus::plot::Heatmap alignment_map(const std::string& title, const gradus::models::Decoded& written,
                                    const std::vector<std::int64_t>& source,
                                    const gradus::data::Reversal& task);

/// The weights of `alignment` as bars: one picture per written token.
std::vector<std::string> weight_bars(const gradus::plot::Heatmap& alignment);

}  // namespace tutorial
