#pragma once

#include <gradus/models/decoded.hpp>
#include <gradus/plot/heatmap.hpp>

#include <cstddef>
#include <vector>

#include "language.hpp"

namespace tutorial {

/// The attention weights of each word that a model wrote, and of <eos> if it wrote that.
gradus::plot::Heatmap word_alignment(const gradus::models::Decoded& written, const Language& target,
                                     const Words& source);

/// The alignments, at most `count` and of different sources, with the most certain crossing: two written
/// words that attend to the source in the opposite order, ranked by the product of their weights.
std::vector<gradus::plot::Heatmap> most_crossing(std::vector<gradus::plot::Heatmap> alignments,
                                                 std::size_t count);

}  // namespace tutorial
