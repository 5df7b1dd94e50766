#pragma once

#include <gradus/plot/heatmap.hpp>

#include <span>
#include <string>

#include "reports/alignment.hpp"

namespace gradus::tools {

/// Rows are the target's tokens, columns the source's. For a source of sound, columns are labelled every half
/// second.
plot::Heatmap heatmap_of(const Alignment& alignment);

/// The heatmap as SVG; for a source of sound, below its spectrogram.
std::string picture_of(const Alignment& alignment);

/// One HTML page with all alignments.
std::string html_of(std::span<const Alignment> alignments);

/// A header and one line per weight: sentence, target position and token, source position and token, weight.
/// Sentences and positions count from 0; weights round-trip to f32.
std::string tsv_of(std::span<const Alignment> alignments);

/// A list of objects, one per line: source, target, source_tokens, target_tokens, log_probability (of the
/// target), log_probabilities (of its tokens), weights (one list per target token).
std::string json_of(std::span<const Alignment> alignments);

}  // namespace gradus::tools
