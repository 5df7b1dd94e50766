#include "training_curves.hpp"

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

}  // namespace tutorial
