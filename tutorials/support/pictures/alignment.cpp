#include "alignment.hpp"

#include <gradus/plot/bars.hpp>

#include <cstddef>

namespace tutorial {

namespace plot = gradus::plot;

plot::Heatmap alignment_map(const std::string& title, const gradus::models::Decoded& written,
                            const std::vector<std::int64_t>& source, const gradus::data::Reversal& task) {
  plot::Heatmap heatmap{.title = title,
                        .x_label = "source, read",
                        .y_label = "output, written",
                        .values = written.weights.to_vector<double>()};
  for (const std::int64_t token : source) heatmap.columns.push_back(task.token_text(token));
  for (const std::int64_t token : written.tokens) heatmap.rows.push_back(task.token_text(token));
  return heatmap;
}

std::vector<std::string> weight_bars(const plot::Heatmap& alignment) {
  std::vector<std::string> charts;
  const auto T = static_cast<std::ptrdiff_t>(alignment.columns.size());
  auto row = alignment.values.begin();
  for (const std::string& token : alignment.rows) {
    charts.push_back(plot::svg(
        plot::GroupedBars{.title = "step " + std::to_string(charts.size() + 1) + ": writes " + token,
                          .x_label = "source",
                          .y_label = "weight",
                          .groups = alignment.columns,
                          .series = {{.name = "", .values = {row, row + T}}}}));
    row += T;
  }
  return charts;
}

}  // namespace tutorial
