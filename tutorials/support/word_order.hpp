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

/// At most `count` alignments with crossings, the most certain ones first, each of another source. In a
/// crossing, two written words attend to the source in reverse order. Its certainty is the product of their
/// weights.
std::vector<gradus::plot::Heatmap> most_crossing(std::vector<gradus::plot::Heatmap> alignments,
                                                 std::size_t count);

}  // namespace tutorial
