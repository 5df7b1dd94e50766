#include "pictures.hpp"

#include <gradus/plot/bars.hpp>

#include <algorithm>
#include <numeric>

namespace tutorial {

namespace plot = gradus::plot;

plot::Series smoothed(const std::string& name, const std::vector<double>& losses) {
  constexpr std::size_t window = 10;
  plot::Series series{.name = name};
  for (std::size_t begin = 0; begin < losses.size(); begin += window) {
    const auto from = losses.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto n = static_cast<std::ptrdiff_t>(std::min(window, losses.size() - begin));
    series.x.push_back(static_cast<double>(begin) + static_cast<double>(n) / 2);
    series.y.push_back(std::accumulate(from, from + n, 0.0) / static_cast<double>(n));
  }
  return series;
}

std::string loss_curves(const std::vector<Result>& results) {
  plot::Curves curves{.title = "Training loss",
                      .x_label = "update",
                      .y_label = "cross-entropy, nats per token",
                      .log_y = true};
  for (const Result& result : results) curves.series.push_back(smoothed(result.name, result.training.losses));
  return plot::svg(curves);
}

std::string exact_match_curves(const std::vector<Result>& results, bool last_is_dashed) {
  plot::Curves curves{.title = "Exact match by length, on held-out sources",
                      .x_label = "source length",
                      .y_label = "fraction reversed without a mistake"};
  for (const Result& result : results) {
    plot::Series series{.name = result.name};
    for (const auto& [length, score] : result.scores) {
      series.x.push_back(static_cast<double>(length));
      series.y.push_back(score.exact.fraction());
    }
    curves.series.push_back(series);
  }
  if (last_is_dashed) curves.series.back().mark = plot::Mark::dashed;
  return plot::svg(curves);
}

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
