#pragma once

#include <gradus/plot/heatmap.hpp>

#include <span>
#include <string>

#include "alignment.hpp"

namespace gradus::tools {

/// Rows are the target's tokens, columns the source's.
plot::Heatmap heatmap_of(const Alignment& alignment);

/// One page with all of them.
std::string html_of(std::span<const Alignment> alignments);

/// A line a weight, below a line of names: sentence, target position and token, source position and token,
/// weight. Sentences and positions count from 1; weights have the digits that give their f32 back.
std::string tsv_of(std::span<const Alignment> alignments);

/// A list of objects: source, target, source_tokens, target_tokens, log_probability of the target and
/// log_probabilities of its tokens, weights (a list for each target token).
std::string json_of(std::span<const Alignment> alignments);

}  // namespace gradus::tools
