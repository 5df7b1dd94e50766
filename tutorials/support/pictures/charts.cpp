#include "charts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace tutorial {

namespace plot = gradus::plot;

plot::Series by_index(const std::string& name, const std::vector<double>& y) {
  plot::Series series{.name = name, .y = y};
  for (std::size_t i = 0; i < y.size(); ++i) series.x.push_back(static_cast<double>(i));
  return series;
}

std::vector<double> log10_at(const std::vector<double>& y, const std::vector<std::size_t>& places) {
  std::vector<double> logs;
  for (const std::size_t i : places) logs.push_back(std::log10(y.at(i)));
  return logs;
}

plot::Heatmap numbered_map(const std::string& title, const std::string& x_label, const std::string& y_label,
                           const std::vector<double>& values, double max) {
  plot::Heatmap map{.title = title, .x_label = x_label, .y_label = y_label, .values = values, .max = max};
  for (std::size_t i = 1; (i - 1) * i < values.size(); ++i) map.rows.push_back(std::to_string(i));
  map.columns = map.rows;
  return map;
}

void sort_rows(std::vector<plot::Heatmap>& maps, const std::vector<std::pair<std::string, double>>& groups) {
  const std::vector<double> by = maps.back().values;
  const std::size_t columns = maps.back().columns.size();
  const auto end = [&](std::size_t row) { return by[(row + 1) * columns - 1]; };
  std::vector<std::size_t> order(maps.back().rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{}, end);

  std::vector<plot::RowGroup> brackets;
  double above = std::numeric_limits<double>::infinity();
  for (const auto& [name, bound] : groups) {
    const auto inside = [&](std::size_t row) { return end(row) >= bound && end(row) < above; };
    brackets.push_back({name, static_cast<std::size_t>(std::ranges::count_if(order, inside))});
    above = bound;
  }
  for (std::size_t m = 1; m < maps.size(); ++m) maps[m].y_label.clear();
  for (plot::Heatmap& map : maps) {
    plot::Heatmap sorted = map;
    for (std::size_t i = 0; i < order.size(); ++i) {
      sorted.rows[i] = map.rows[order[i]];
      for (std::size_t c = 0; c < columns; ++c)
        sorted.values[i * columns + c] = map.values[order[i] * columns + c];
    }
    sorted.groups = brackets;
    map = std::move(sorted);
    for (plot::RowGroup& group : brackets) group.name.clear();
  }
}

}  // namespace tutorial
