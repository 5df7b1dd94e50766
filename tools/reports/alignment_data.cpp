#include "reports/alignment_data.hpp"

#include <gradus/plot/page.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "settings/shortest.hpp"

namespace gradus::tools {
namespace {

using Json = nlohmann::ordered_json;

std::string summary(const Alignment& alignment) {
  std::string text(64, '\0');
  const int length = std::snprintf(text.data(), text.size(), "ln p(target | source) = %.2f over %zu tokens",
                                   alignment.decoded.log_probability, alignment.target_tokens.size());
  text.resize(static_cast<std::size_t>(length));
  return text;
}

// The weights of target token t.
std::span<const float> weights_of(const Alignment& alignment, std::size_t t) {
  const std::size_t T = alignment.source_tokens.size();
  return alignment.decoded.weights.values<float>().subspan(t * T, T);
}

// The weight as JSON: the fewest digits that round-trip to f32, or null if the weight is not finite. JSON of
// a double would have more digits.
Json number(float weight) { return std::isfinite(weight) ? Json::parse(shortest(weight)) : Json(); }

Json to_json(const Alignment& alignment) {
  Json weights = Json::array();
  for (std::size_t t = 0; t < alignment.target_tokens.size(); ++t) {
    Json& row = weights.emplace_back(Json::array());
    for (const float weight : weights_of(alignment, t)) row.push_back(number(weight));
  }
  return {{"source", alignment.text.source},
          {"target", alignment.text.target},
          {"source_tokens", alignment.source_tokens},
          {"target_tokens", alignment.target_tokens},
          {"log_probability", alignment.decoded.log_probability},
          {"log_probabilities", alignment.decoded.token_log_probabilities},
          {"weights", weights}};
}

// Column labels for sound: 0.0, 0.5, 1.0 … seconds, each at the annotation that contains this time.
std::vector<std::string> every_half_second(const Alignment& alignment) {
  std::vector<double> begins;
  for (const std::string& begin : alignment.source_tokens) begins.push_back(std::stod(begin));
  std::vector<std::string> labels(begins.size());
  for (std::int64_t half = 0; static_cast<double>(half) / 2 <= begins.back(); ++half) {
    const auto next = std::ranges::upper_bound(begins, static_cast<double>(half) / 2 + 1e-9);
    labels[static_cast<std::size_t>(next - begins.begin() - 1)] =
        std::to_string(half / 2) + (half % 2 == 0 ? ".0" : ".5");
  }
  return labels;
}

// The columns of the spectrogram. All columns of one annotation are together as wide as one cell of the
// heatmap of weights.
struct Columns {
  std::int64_t annotation = 1;  // frames per annotation, a power of 2
  std::int64_t joined = 1;      // frames per column; more than 1 if one frame would have less than 2 pixels
  std::int64_t count = 0;
  double width = 0;  // pixels

  Columns(const Alignment& alignment, double cell) {
    const std::int64_t T = alignment.frames.size(0), J = std::ssize(alignment.source_tokens);
    while ((T + annotation - 1) / annotation > J) annotation *= 2;
    while (joined < annotation && cell * static_cast<double>(joined) < 2 * static_cast<double>(annotation))
      joined *= 2;
    count = J * annotation / joined;
    width = cell * static_cast<double>(joined) / static_cast<double>(annotation);
  }
};

// Column labels for the spectrogram: each target token is in the middle of the annotation with the token's
// largest weight. Leaves out a token that would overlap the one before it.
std::vector<std::string> tokens_where_read(const Alignment& alignment, const Columns& columns) {
  std::map<std::int64_t, std::string> read;  // by column
  for (std::size_t t = 0; t < alignment.target_tokens.size(); ++t) {
    const auto weights = weights_of(alignment, t);
    const std::int64_t j = std::ranges::max_element(weights) - weights.begin();
    read.try_emplace((2 * j + 1) * columns.annotation / (2 * columns.joined), alignment.target_tokens[t]);
  }
  std::vector<std::string> labels(static_cast<std::size_t>(columns.count));
  double end = 0;  // right end of the previous label, in pixels
  for (const auto& [column, token] : read) {
    constexpr double character = 8;  // maximum pixels per byte
    const double middle = static_cast<double>(column) * columns.width,
                 half = character * static_cast<double>(token.size()) / 2;
    if (middle - half < end && end > 0) continue;
    labels[static_cast<std::size_t>(column)] = token;
    end = middle + half;
  }
  return labels;
}

// A heatmap of the frames. Rows are bands, with low bands at the bottom. Columns are frames.
plot::Heatmap spectrogram_of(const Alignment& alignment, double cell) {
  constexpr double range = 13.8;  // the colours span 60 decibels, 6 ln 10
  const Columns columns(alignment, cell);
  const std::int64_t T = alignment.frames.size(0), D = alignment.frames.size(1), most = 20,
                     joined = (D + most - 1) / most, rows = (D + joined - 1) / joined;
  plot::Heatmap map{.title = alignment.text.source,
                    .x_label = "token, where its weight is largest",
                    .y_label = "band",
                    .columns = tokens_where_read(alignment, columns),
                    .rows = {},
                    .values = {},
                    .cell_width = columns.width,
                    .cell_height = 8};
  const auto values = alignment.frames.values<float>();
  double least = std::numeric_limits<double>::infinity(), largest = -least;
  for (std::int64_t row = rows - 1; row >= 0; --row) {
    const std::int64_t low = row * joined, high = std::min(low + joined, D);
    map.rows.push_back(row % 5 == 0 ? std::to_string(low + 1) : "");
    for (std::int64_t column = 0; column < columns.count; ++column) {
      const std::int64_t begin = column * columns.joined, end = std::min(begin + columns.joined, T);
      double sum = 0;
      for (std::int64_t t = begin; t < end; ++t) {
        for (std::int64_t d = low; d < high; ++d) sum += values[static_cast<std::size_t>(t * D + d)];
      }
      const double mean = sum / static_cast<double>((end - begin) * (high - low));
      map.values.push_back(begin < T ? mean : std::numeric_limits<double>::quiet_NaN());
      if (begin < T) least = std::min(least, mean), largest = std::max(largest, mean);
    }
  }
  map.min = std::max(least, largest - range);
  map.max = std::max(largest, map.min + 1);
  return map;
}

}  // namespace

std::string picture_of(const Alignment& alignment) {
  plot::Heatmap weights = heatmap_of(alignment);
  if (!alignment.frames.defined()) return plot::svg(weights);
  // Both maps get the same horizontal axis.
  weights.cell_width = std::clamp(std::floor(640 / static_cast<double>(weights.columns.size())), 10.0, 32.0);
  weights.cell_height = std::max(16.0, 0.75 * weights.cell_width);
  return plot::strip({spectrogram_of(alignment, weights.cell_width), weights}, 1);
}

plot::Heatmap heatmap_of(const Alignment& alignment) {
  return {.title = alignment.text.target,
          .x_label = alignment.frames.defined() ? "seconds" : "source",
          .y_label = "target",
          .columns = alignment.frames.defined() ? every_half_second(alignment) : alignment.source_tokens,
          .rows = alignment.target_tokens,
          .values = alignment.decoded.weights.to_vector<double>()};
}

std::string html_of(std::span<const Alignment> alignments) {
  plot::Page page{.title = "Alignments",
                  .intro = {"Attention weights: one row per target token, one column per source token. Each "
                            "row sums to 1."}};
  for (const Alignment& alignment : alignments) {
    page.sections.push_back({.heading = alignment.text.source,
                             .paragraphs = {summary(alignment)},
                             .svgs = {picture_of(alignment)}});
  }
  return plot::html(page);
}

std::string tsv_of(std::span<const Alignment> alignments) {
  std::string tsv = "sentence\ttarget_position\ttarget_token\tsource_position\tsource_token\tweight\n";
  for (std::size_t i = 0; i < alignments.size(); ++i) {
    const Alignment& alignment = alignments[i];
    for (std::size_t t = 0; t < alignment.target_tokens.size(); ++t) {
      const auto weights = weights_of(alignment, t);
      for (std::size_t j = 0; j < weights.size(); ++j) {
        tsv.append(std::to_string(i)).append("\t");
        tsv.append(std::to_string(t)).append("\t").append(alignment.target_tokens[t]).append("\t");
        tsv.append(std::to_string(j)).append("\t").append(alignment.source_tokens[j]).append("\t");
        tsv.append(shortest(weights[j])).append("\n");
      }
    }
  }
  return tsv;
}

std::string json_of(std::span<const Alignment> alignments) {
  std::string lines;
  for (const Alignment& alignment : alignments) {
    lines += (lines.empty() ? "" : ",\n") + to_json(alignment).dump();
  }
  return "[\n" + lines + "\n]\n";
}

}  // namespace gradus::tools
