#include "charts.hpp"

#include <cmath>

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

}  // namespace tutorial
