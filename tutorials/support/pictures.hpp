#pragma once

#include <gradus/models/decoded.hpp>
#include <gradus/plot/curves.hpp>
#include <gradus/plot/heatmap.hpp>

#include <string>
#include <vector>

#include "results.hpp"

namespace tutorial {

/// The losses of all steps as a curve; each point is the mean of 10 steps.
gradus::plot::Series smoothed(const std::string& name, const std::vector<double>& losses);

/// The smoothed training losses as a picture.
std::string loss_curves(const std::vector<Result>& results);

/// Exact match by length as lines. A dashed last line cannot hide the others.
std::string exact_match_curves(const std::vector<Result>& results, bool last_is_dashed = false);

/// The attention weights as a heatmap: one row per token written, one column per source token.
gradus::plot::Heatmap alignment_map(const std::string& title, const gradus::models::Decoded& written,
                                    const std::vector<std::int64_t>& source,
                                    const gradus::data::Reversal& task);

/// The weights of `alignment` as bars, one picture per token written.
std::vector<std::string> weight_bars(const gradus::plot::Heatmap& alignment);

}  // namespace tutorial
