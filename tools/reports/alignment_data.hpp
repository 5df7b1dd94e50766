#pragma once

#include <gradus/plot/heatmap.hpp>

#include <span>
#include <string>

#include "reports/alignment.hpp"

namespace gradus::tools {

/// Rows are target tokens, columns source tokens. For a source of sound, columns are labelled every half
/// second.
plot::Heatmap heatmap_of(const Alignment& alignment);

/// The heatmap as SVG. For a source of sound, the spectrogram is drawn above the heatmap, with each target
/// token above the annotation with the token's largest weight.
std::string picture_of(const Alignment& alignment);

/// One HTML page with all alignments.
std::string html_of(std::span<const Alignment> alignments);

/// A header and one line per weight: sentence, target position and token, source position and token, weight.
/// Sentences and positions count from 0; weights round-trip to f32.
std::string tsv_of(std::span<const Alignment> alignments);

/// A JSON list with one object per line: source, target, source_tokens, target_tokens, log_probability (of
/// the target), log_probabilities (of the target tokens), weights (one list per target token).
std::string json_of(std::span<const Alignment> alignments);

}  // namespace gradus::tools
