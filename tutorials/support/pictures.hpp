#pragma once

#include <gradus/models/decoded.hpp>
#include <gradus/plot/curves.hpp>
#include <gradus/plot/heatmap.hpp>

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

/// Where the decoder looked: a row a token written, a column a token of the source.
gradus::plot::Heatmap alignment_map(const std::string& title, const gradus::models::Decoded& written,
                                    const std::vector<std::int64_t>& source,
                                    const gradus::data::Reversal& task);

/// The same weights as bars, a picture for each token written.
std::vector<std::string> weight_bars(const gradus::plot::Heatmap& alignment);

}  // namespace tutorial
