#include "boundary.hpp"

#include <gradus/autograd/recording.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace tutorial {

namespace plot = gradus::plot;

namespace {

constexpr std::int64_t n = 81;  // grid points per side

struct Corner {
  double x, y, value;
};

// If the values of two corners differ in sign, adds the point between them where the value is 0.
void add_crossing(plot::Series& line, const Corner& a, const Corner& b) {
  if ((a.value > 0) == (b.value > 0)) return;
  const double t = a.value / (a.value - b.value);
  line.x.push_back(a.x + t * (b.x - a.x));
  line.y.push_back(a.y + t * (b.y - a.y));
}

}  // namespace

plot::Series points_of(const std::string& name, const Points& points, float spiral) {
  plot::Series series{.name = name, .mark = plot::Mark::points};
  const std::vector<float> x = points.x.to_vector<float>(), t = points.t.to_vector<float>();
  for (std::size_t i = 0; i < t.size(); ++i) {
    if (t[i] == spiral) series.x.push_back(x[2 * i]), series.y.push_back(x[2 * i + 1]);
  }
  return series;
}

plot::Series boundary(const std::string& name,
                      const std::function<gradus::Tensor(const gradus::Tensor& x)>& logits, double size) {
  const auto at = [&](std::int64_t i) { return size * (2 * static_cast<double>(i) / (n - 1) - 1); };
  std::vector<float> grid;  // row i·n + j is point (i, j)
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j)
      grid.push_back(static_cast<float>(at(j))), grid.push_back(static_cast<float>(at(i)));
  }
  const gradus::NoGrad no_grad;
  const std::vector<float> y = logits(gradus::tensor(grid, {n * n, 2})).to_vector<float>();
  const auto corner = [&](std::int64_t i, std::int64_t j) {
    return Corner{at(j), at(i), double(y[static_cast<std::size_t>(i * n + j)])};
  };

  constexpr double gap = std::numeric_limits<double>::quiet_NaN();
  plot::Series line{.name = name, .x = {gap}, .y = {gap}};  // a gap, because an empty series is an error
  for (std::int64_t i = 0; i + 1 < n; ++i) {
    for (std::int64_t j = 0; j + 1 < n; ++j) {
      const Corner a = corner(i, j), b = corner(i, j + 1), c = corner(i + 1, j + 1), d = corner(i + 1, j);
      const std::size_t before = line.x.size();
      for (const auto& [from, to] : {std::pair{a, b}, {b, c}, {c, d}, {d, a}}) add_crossing(line, from, to);
      if (line.x.size() == before) continue;
      line.x.push_back(gap), line.y.push_back(gap);
    }
  }
  return line;
}

}  // namespace tutorial
