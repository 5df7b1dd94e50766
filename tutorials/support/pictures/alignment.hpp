#pragma once

#include <gradus/data/reversal.hpp>
#include <gradus/models/decoded.hpp>
#include <gradus/plot/heatmap.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace tutorial {

/// The attention weights as a heatmap: a row per written token, a column per source token.
gradus::plot::Heatmap alignment_map(const std::string& title, const gradus::models::Decoded& written,
                                    const std::vector<std::int64_t>& source,
                                    const gradus::data::Reversal& task);

/// The weights of `alignment` as bars: one picture per written token.
std::vector<std::string> weight_bars(const gradus::plot::Heatmap& alignment);

}  // namespace tutorial
