#pragma once

#include <gradus/models/decoded.hpp>
#include <gradus/plot/heatmap.hpp>

#include <string>
#include <vector>

#include "results.hpp"

namespace tutorial {

/// Training losses as curves, each point the mean of 10 steps.
std::string loss_curves(const std::vector<Result>& results);

/// Exact match by length as grouped bars.
std::string exact_match_bars(const std::vector<Result>& results);

/// Where the decoder looked: a row a token written, a column a token of the source.
gradus::plot::Heatmap alignment_map(const std::string& title, const gradus::models::Decoded& written,
                                    const std::vector<std::int64_t>& source,
                                    const gradus::data::Reversal& task);

/// The same weights as bars, a picture for each token written.
std::vector<std::string> weight_bars(const gradus::plot::Heatmap& alignment);

}  // namespace tutorial
