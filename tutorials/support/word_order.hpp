#pragma once

#include <gradus/models/decoded.hpp>
#include <gradus/plot/heatmap.hpp>

#include <cstddef>
#include <vector>

#include "language.hpp"

namespace tutorial {

/// Where a model looked in the source for each of the words that it wrote and, if it wrote that, for <eos>.
gradus::plot::Heatmap word_alignment(const gradus::models::Decoded& written, const Language& target,
                                     const Words& source);

/// Those alignments in which two written words look at the source in the other order most surely: in which
/// the largest product of two weights that cross is largest. At most `count`, of different sources.
std::vector<gradus::plot::Heatmap> most_crossing(std::vector<gradus::plot::Heatmap> alignments,
                                                 std::size_t count);

}  // namespace tutorial
