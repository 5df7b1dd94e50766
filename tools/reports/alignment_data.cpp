#include "reports/alignment_data.hpp"

#include <gradus/plot/page.hpp>

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

// Null if not finite. A conversion to double would print digits that f32 does not have.
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

}  // namespace

plot::Heatmap heatmap_of(const Alignment& alignment) {
  return {.title = alignment.text.target,
          .x_label = "source",
          .y_label = "target",
          .columns = alignment.source_tokens,
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
                             .svgs = {plot::svg(heatmap_of(alignment))}});
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
