#include "reports/alignment_data.hpp"

#include <gradus/plot/page.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
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

// Column labels for sound: one label per half second, at the first annotation that begins in it.
std::vector<std::string> every_half_second(const Alignment& alignment) {
  std::vector<std::string> labels;
  std::int64_t next = 0;  // next label, in half seconds
  for (const std::string& seconds : alignment.source_tokens) {
    const bool is_next = 2 * std::stod(seconds) >= static_cast<double>(next) - 1e-9;
    labels.push_back(is_next ? seconds : "");
    if (is_next) ++next;
  }
  return labels;
}

// The mean frame of each annotation, (bands, annotations), with low bands at the bottom.
plot::Heatmap spectrogram_of(const Alignment& alignment) {
  const std::int64_t T = alignment.frames.size(0), D = alignment.frames.size(1),
                     J = std::ssize(alignment.source_tokens), most = 20, joined = (D + most - 1) / most,
                     rows = (D + joined - 1) / joined;
  std::int64_t each = 1;
  while ((T + each - 1) / each > J) each *= 2;
  plot::Heatmap map{.title = alignment.text.source,
                    .x_label = "seconds",
                    .y_label = "band",
                    .columns = every_half_second(alignment),
                    .rows = {},
                    .values = std::vector<double>(static_cast<std::size_t>(rows * J))};
  const auto values = alignment.frames.values<float>();
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t low = (rows - 1 - row) * joined, high = std::min(low + joined, D);
    map.rows.push_back(std::to_string(low + 1));
    for (std::int64_t j = 0; j < J; ++j) {
      const std::int64_t begin = j * each, end = std::min(begin + each, T);
      double sum = 0;
      for (std::int64_t t = begin; t < end; ++t) {
        for (std::int64_t d = low; d < high; ++d) sum += values[static_cast<std::size_t>(t * D + d)];
      }
      map.values[static_cast<std::size_t>(row * J + j)] =
          sum / static_cast<double>((end - begin) * (high - low));
    }
  }
  const auto [least, largest] = std::ranges::minmax(map.values);
  map.min = least;
  map.max = std::max(largest, least + 1);
  return map;
}

}  // namespace

std::string picture_of(const Alignment& alignment) {
  if (!alignment.frames.defined()) return plot::svg(heatmap_of(alignment));
  plot::Heatmap sound = spectrogram_of(alignment), weights = heatmap_of(alignment);
  const double cell = std::clamp(std::floor(640 / static_cast<double>(sound.columns.size())), 10.0, 32.0);
  for (plot::Heatmap* const map : {&sound, &weights}) {  // the same axis for both
    map->side = cell * static_cast<double>(std::max(map->rows.size(), map->columns.size()));
  }
  return plot::strip({sound, weights}, 1);
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
