#pragma once

#include <gradus/models/decoded.hpp>
#include <gradus/plot/heatmap.hpp>

#include <cstddef>
#include <vector>

#include "support/tasks/language.hpp"

namespace tutorial {

/// The attention weights of each word that a model wrote, and of <eos> if the model wrote <eos>.
gradus::plot::Heatmap word_alignment(const gradus::models::Decoded& written, const Language& target,
                                     const Words& source);

/// The `count` alignments with the most certain crossings, at most one per source, in descending order of
/// certainty. In a crossing, two written words attend to the source in reverse order. The certainty of a
/// crossing is the product of the two words' largest weights.
std::vector<gradus::plot::Heatmap> most_crossing(std::vector<gradus::plot::Heatmap> alignments,
                                                 std::size_t count);

}  // namespace tutorial
