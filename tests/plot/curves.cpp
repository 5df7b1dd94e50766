#include "plot/markup.hpp"
#include "plot/picture.hpp"

TEST_CASE("curves have a legend, axis labels, round ticks and a dot per point", "[plot]") {
  plot::Curves curves = line({0, 1, 2, 3}, {4, 2, 1, 0.5});
  curves.series.push_back({"validation", {0, 3}, {4.2, 1}});
  const std::string picture = svg(curves);
  for (const char* text : {"loss", "step", "nats", "train", "validation", "0", "1", "2", "3", "4", "5"}) {
    INFO(text);
    CHECK(shows(picture, text));
  }
  CHECK(count(picture, "<circle") == 6);
  CHECK(has(picture, "<title>train: 3, 0.5</title>"));
  CHECK(count(picture, "<path class=\"gp-line gp-s0\"") == 1);
  CHECK(count(picture, "<path class=\"gp-line gp-s1\"") == 1);
  CHECK_FALSE(has(picture, ">0.5</text>"));  // no tick between whole epochs
}

TEST_CASE("the ninth curve is drawn differently from the first", "[plot]") {
  plot::Curves curves = line({0, 1}, {0, 1});
  curves.series.resize(9, curves.series[0]);
  CHECK(has(svg(curves), "<path class=\"gp-line gp-s0 gp-dash1\""));
}

TEST_CASE("a dashed curve is dashed in the legend, too", "[plot]") {
  plot::Curves curves = line({0, 1}, {0, 1});
  curves.series.push_back({"over it", {0, 1}, {0, 1}, plot::Mark::dashed});
  const std::string picture = svg(curves);
  CHECK(count(picture, "<path class=\"gp-line gp-s0\"") == 1);
  CHECK(count(picture, "<path class=\"gp-line gp-s1 gp-dash1\"") == 1);
  CHECK(count(picture, "<line class=\"gp-line gp-s1 gp-dash1\"") == 1);
}

TEST_CASE("a curve can have the colour of another", "[plot]") {
  plot::Curves curves = line({0, 1}, {0, 1});
  curves.series.push_back({"bound", {0, 1}, {0, 2}, plot::Mark::dashed, 0});
  const std::string picture = svg(curves);
  CHECK(count(picture, "<path class=\"gp-line gp-s0 gp-dash1\"") == 1);
  CHECK(count(picture, "<circle class=\"gp-fill gp-s0\"") == 2);  // dashed lines have no circles
}

TEST_CASE("a name at a line's end is not in the legend, and lies inside the picture", "[plot]") {
  plot::Curves curves = line({0, 1}, {0, 1});
  const std::string with_legend = svg(curves);
  curves.series[0].name_at_end = true;
  const std::string picture = svg(curves);
  CHECK(count(with_legend, "<line class=\"gp-line gp-s0\"") == 1);
  CHECK(count(picture, "<line class=\"gp-line gp-s0\"") == 0);
  CHECK(count(picture, ">train</text>") == 1);
  const std::string name = picture.substr(picture.find("<text class=\"gp-fill gp-s0\""));
  const std::string last_dot = picture.substr(picture.rfind("<circle"));
  CHECK(attribute(name, "<text", "x") == attribute(last_dot, "<circle", "cx") + 6);
  CHECK(attribute(name, "<text", "y") == attribute(last_dot, "<circle", "cy") + 4);
  CHECK(attribute(picture, "<svg", "width") - attribute(name, "<text", "x") > 28);  // the width of "train"

  curves.series[0].y = {kNaN, kNaN};  // no point, so no end
  CHECK(count(svg(curves), ">train</text>") == 0);
}

TEST_CASE("labels have subscripts and superscripts, and words stay whole", "[plot]") {
  plot::Curves curves = line({0, 1}, {0, 1});
  curves.series[0].name = "b_z + 3";
  curves.title = "no zero_grad, a_1b, x_, y_{}, z_{i";
  curves.x_label = "ρ^d & W_{hh}";
  curves.y_label = "∂L/∂h_t";
  const std::string picture = svg(curves);
  const auto index = [](const std::string& text, int down) {
    return "<tspan class=\"gp-small\" dy=\"" + std::to_string(down) + "\">" + text + "</tspan>";
  };
  CHECK(has(picture, ">b" + index("z", 3) + "<tspan dy=\"-3\"> + 3</tspan></text>"));
  CHECK(has(picture, ">no zero_grad, a_1b, x_, y_{}, z_{i</text>"));
  CHECK(
      has(picture, ">ρ" + index("d", -4) + "<tspan dy=\"4\"> &amp; W" + index("hh", 3) + "</tspan></text>"));
  CHECK(has(picture, ">∂L/∂h" + index("t", 3) + "</text>"));
}

TEST_CASE("points are drawn without a line, and without tooltips if there are many", "[plot]") {
  plot::Curves curves = line({0, 1, 2}, {0, 1, 0});
  curves.series[0].mark = plot::Mark::points;
  std::string picture = svg(curves);
  CHECK(count(picture, "gp-line gp-s0") == 0);
  CHECK(count(picture, "<circle") == 4);  // three points, and one circle in the legend
  CHECK(count(picture, "<title>train: ") == 3);

  for (int i = 0; i < 100; ++i) curves.series[0].x.push_back(i), curves.series[0].y.push_back(i);
  picture = svg(curves);
  CHECK(count(picture, "<circle") == 104);
  CHECK(count(picture, "<title>") == 0);
}

TEST_CASE("equal units make a plot as high as its range of y", "[plot]") {
  plot::Curves curves = line({0, 1, 0.5}, {0, 1, 2});
  const auto grid = [&] {  // the height of the grid in pixels
    const std::string picture = svg(curves);
    const auto y1 = [&](std::size_t at) { return std::stod(picture.substr(picture.find("y1=\"", at) + 4)); };
    return y1(picture.find("gp-grid\"")) - y1(picture.rfind("gp-grid\""));
  };
  CHECK(grid() == 240);
  curves.equal_units = true;
  CHECK(grid() == 2 * 340);
}

TEST_CASE("points that are not finite leave a gap", "[plot]") {
  const auto moves = [](const plot::Curves& curves) {
    const std::string picture = svg(curves);
    const std::size_t at = picture.find(" d=\"");
    return count(picture.substr(at, picture.find('/', at) - at), "M");
  };
  CHECK(moves(line({0, 1, 2, 3, 4}, {1, 2, 3, 4, 5})) == 1);
  for (const double hole : {kNaN, kInf, -kInf}) {
    CHECK(moves(line({0, 1, 2, 3, 4}, {1, 2, hole, 4, 5})) == 2);
    CHECK(moves(line({0, 1, hole, 3, 4}, {1, 2, 3, 4, 5})) == 2);
  }
  CHECK(moves(line({0, 1, 2}, {1, kNaN, 3})) == 2);  // NaN leaves two isolated points

  plot::Curves log = line({0, 1, 2, 3, 4}, {1, 2, 0, 4, 5});
  CHECK(moves(log) == 1);
  log.log_y = true;
  CHECK(moves(log) == 2);
}

TEST_CASE("curves without a finite point say so", "[plot]") {
  plot::Curves curves = line({0, 1}, {kNaN, kInf});
  CHECK(has(svg(curves), ">no finite value</text>"));
  curves = line({0, 1}, {-1, 0});
  CHECK_FALSE(has(svg(curves), "no finite value"));
  curves.log_y = true;
  CHECK(has(svg(curves), ">no finite value above 0</text>"));
}

TEST_CASE("a logarithmic axis gives each decade the same height", "[plot]") {
  plot::Curves curves = line({0, 1, 2}, {0.01, 0.1, 1});
  curves.log_y = true;
  const std::string picture = svg(curves);
  for (const char* tick : {">0.01</text>", ">0.1</text>", ">1</text>"}) CHECK(has(picture, tick));
  const auto height = [&](const std::string& y) {
    const std::string before = picture.substr(0, picture.find("<title>train: " + y));
    return attribute(before.substr(before.rfind("<circle")), "<circle", "cy");
  };
  CHECK(near(height("0, 0.01") - height("1, 0.1"), height("1, 0.1") - height("2, 1"), 0.2));
}

TEST_CASE("if one tick of a logarithmic axis needs an exponent, all ticks have one", "[plot]") {
  const auto has_ticks = [](double low, double high, const std::vector<std::string>& ticks) {
    plot::Curves curves = line({0, 1}, {low, high});
    curves.log_y = true;
    const std::string picture = svg(curves);
    for (const std::string& tick : ticks) CHECK(has(picture, '>' + tick + "</text>"));
  };
  has_ticks(1e-15, 1e9, {"1e-15", "1e-3", "1", "1e3", "1e6", "1e9"});
  has_ticks(2e-5, 5e-4, {"2e-5", "5e-5", "1e-4", "2e-4", "5e-4"});
  has_ticks(1e-4, 1e6, {"0.0001", "0.01", "1", "100", "10k", "1M"});
}

TEST_CASE("a point with an offset is drawn beside x, and its tooltip shows x", "[plot]") {
  plot::Curves curves{
      .series = {{.name = "a model", .x = {0, 5, 5}, .y = {0, 1, 1}, .mark = plot::Mark::points}}};
  const auto left_of_last = [&] {
    const std::string picture = svg(curves);
    CHECK(count(picture, "<title>a model: 5, 1</title>") == 2);
    return attribute(picture.substr(picture.rfind("<circle")), "<circle", "cx");
  };
  const double plain = left_of_last();
  curves.series[0].offset = {0, 0, -0.5};
  CHECK(near(left_of_last(), plain - 46, 0.2));
}

TEST_CASE("thousands of points make a small picture that shows every peak", "[plot]") {
  std::vector<double> x, y;
  for (int i = 0; i < 100000; ++i) {
    x.push_back(i);
    y.push_back(std::sin(i * 0.7) * 0.1);
  }
  const std::vector<std::size_t> peaks = {31415, 50010, 60000}, troughs = {50000, 60010, 71828};
  for (const std::size_t i : peaks) y[i] = 1;
  for (const std::size_t i : troughs) y[i] = -1;
  const std::string picture = svg(line(x, y));
  CHECK(picture.size() < 20000);

  // Follows the path, and finds its highest and lowest points.
  const std::size_t at = picture.find("d=\"M") + 4;
  std::string data = picture.substr(at, picture.find('"', at) - at);
  std::replace(data.begin(), data.end(), 'l', ' ');
  std::istringstream numbers(data);
  std::vector<double> path_x = {0}, path_y = {0};
  for (double dx, dy; numbers >> dx >> dy;) {
    path_x.push_back(path_x.back() + dx);
    path_y.push_back(path_y.back() + dy);
  }
  const double first = path_x[1], width = path_x.back() - first;
  CHECK(width > 300);
  const auto found = [&](double height, const std::vector<std::size_t>& expected) {
    std::vector<double> places;
    for (std::size_t i = 1; i < path_y.size(); ++i) {
      if (near(path_y[i], height, 0.05)) places.push_back((path_x[i] - first) / width);
    }
    REQUIRE(places.size() == expected.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
      CHECK(near(places[i], static_cast<double>(expected[i]) / 1e5, 0.001));
    }
  };
  found(*std::min_element(path_y.begin() + 1, path_y.end()), peaks);
  found(*std::max_element(path_y.begin() + 1, path_y.end()), troughs);
}

TEST_CASE("curves of extreme values are drawn with finite numbers, in finite time", "[plot]") {
  const double tiny = std::numeric_limits<double>::denorm_min(), huge = std::numeric_limits<double>::max();
  for (const bool log : {false, true}) {
    for (const std::vector<double>& y : {std::vector<double>{5, 5},
                                         {0, 0},
                                         {tiny, tiny},
                                         {0, tiny},
                                         {-huge, huge},
                                         {-1.6e308, 1.6e308},
                                         {1e-300, 1e300},
                                         {1e15, 1e15 + 1},
                                         {-1e300, 1e300},
                                         {1e300, 1e300},
                                         {1e-300, 1e-300},
                                         {1e9, 1.5e9},
                                         {12000, 15000}}) {
      plot::Curves curves = line({0, 1}, y);
      curves.log_y = log;
      const std::string picture = svg(curves);
      INFO(y[0] << " … " << y[1]);
      CHECK(picture.size() < 8000);
      for (const char* bad : {"\"nan", "\"inf", "-nan", "-inf", "Mnan", "Minf", " nan", " inf"})
        CHECK_FALSE(has(picture, bad));
      CHECK(fault(picture) == "");
    }
  }
}

TEST_CASE("curves that cannot be drawn are refused", "[plot]") {
  CHECK(message([] {
          plot::Curves curves = line({0, 1}, {1, 2});
          curves.log_y = curves.equal_units = true;
          svg(curves);
        }) ==
        "plot::svg(Curves 'loss'): equal_units on a logarithmic axis; set only one of equal_units and log_y");
  CHECK(message([] { svg(plot::Curves{"loss", "", "", {}}); }) ==
        "plot::svg(Curves 'loss'): no series; add at least one");
  CHECK(message([] { svg(line({1, 2, 3}, {1, 2})); }) ==
        "plot::svg(Curves 'loss'): series 'train' has 3 x and 2 y; give one y per x");
  CHECK(message([] {
          plot::Curves curves = line({1, 2, 3}, {1, 2, 3});
          curves.series[0].offset = {0};
          svg(curves);
        }) ==
        "plot::svg(Curves 'loss'): series 'train' has 3 x and 1 offsets; give one offset per x, or none");
  CHECK(message([] { svg(line({}, {})); }) ==
        "plot::svg(Curves 'loss'): series 'train' has no points; remove it or add one");
}
