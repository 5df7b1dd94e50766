#include "plot/picture.hpp"

TEST_CASE("bar heights are proportional to the values printed above them", "[plot]") {
  const std::string picture = svg(two_models());
  const auto height = [&](const std::string& tooltip) {
    const std::string before = picture.substr(0, picture.find("<title>" + tooltip));
    return attribute(before.substr(before.rfind("<rect")), "<rect", "height");
  };
  CHECK(height("plain, 3: 0.5") > 50);
  CHECK(near(height("attention, 3: 1"), 2 * height("plain, 3: 0.5"), 0.2));
  CHECK(near(height("plain, 4: 0.25"), 0.5 * height("plain, 3: 0.5"), 0.2));
  for (const char* text : {"0.50", "0.25", "1.00", "plain", "attention", "3", "4", "length", "fraction"}) {
    INFO(text);
    CHECK(shows(picture, text));
  }
  CHECK(class_of(picture, "attention, 4: missing") == "gp-hit");
  CHECK(class_of(picture, "attention, 3: 1") == "gp-fill gp-s1");
  CHECK_FALSE(has(picture, ">nan</text>"));
}

TEST_CASE("bars are clipped at the ends of the axis, their printed values are not", "[plot]") {
  plot::GroupedBars bars{"", "", "", {"a", "b", "c"}, {{"", {200, 100, -50}}}, -100, 100};
  const std::string picture = svg(bars);
  const auto box = [&](const std::string& tooltip, const std::string& name) {
    const std::string before = picture.substr(0, picture.find("<title>" + tooltip));
    return attribute(before.substr(before.rfind("<rect")), "<rect", name);
  };
  CHECK(box("a: 200", "height") == box("b: 100", "height"));
  CHECK(has(picture, ">200</text>"));
  CHECK(near(box("c: -50", "y"), box("b: 100", "y") + box("b: 100", "height"), 0.2));
  CHECK(near(box("c: -50", "height"), box("b: 100", "height") / 2, 0.2));
}

TEST_CASE("a group without a name is a gap", "[plot]") {
  const auto bars_of = [](const std::string& middle) {
    return svg(plot::GroupedBars{"", "", "", {"a", middle, "c"}, {{"", {0.5, 0.75, 1}}}});
  };
  CHECK(count(bars_of("b"), "gp-fill gp-s0") == 3);
  CHECK(count(bars_of(""), "gp-fill gp-s0") == 2);
  CHECK_FALSE(shows(bars_of(""), "0.75"));
}

TEST_CASE("values above bars are turned or omitted without room", "[plot]") {
  plot::GroupedBars bars{"", "", "", {}, {{"one", {}}, {"two", {}}}};
  const auto with_groups = [&bars](int groups) {
    while (static_cast<int>(bars.groups.size()) < groups) {
      bars.groups.push_back(std::to_string(bars.groups.size()));
      for (auto& series : bars.series) series.values.push_back(0.5);
    }
    return svg(bars);
  };
  CHECK(count(with_groups(10), ">0.50</text>") == 20);
  CHECK_FALSE(has(with_groups(10), "rotate(-90)"));
  CHECK(count(with_groups(18), ">0.50</text>") == 36);
  CHECK(count(with_groups(18), "rotate(-90)") == 36);
  CHECK(count(with_groups(80), ">0.50</text>") == 0);
  CHECK(count(with_groups(80), "</title></rect>") == 160);
}

TEST_CASE("long names below bars widen the picture instead of being cut off", "[plot]") {
  plot::GroupedBars bars{
      "", "", "", std::vector<std::string>(12, "a rather long name"), {{"", std::vector<double>(12)}}};
  const std::string picture = svg(bars);
  CHECK(has(picture, "rotate(-45)"));
  CHECK(attribute(picture, "<svg", "viewBox") < 0);
  CHECK(attribute(picture, "<rect class=\"gp-back\"", "x") == attribute(picture, "<svg", "viewBox"));
  bars.groups.assign(12, "a");
  CHECK(attribute(svg(bars), "<svg", "viewBox") == 0);
}

TEST_CASE("bars that cannot be drawn are refused", "[plot]") {
  plot::GroupedBars bars = two_models();
  bars.series[1].values.pop_back();
  CHECK(message([&] { svg(bars); }) ==
        "plot::svg(GroupedBars 'accuracy'): series 'attention' has 1 values for 2 groups; give one value per "
        "group, NaN if missing");
  bars = two_models();
  bars.series.clear();
  CHECK(has(message([&] { svg(bars); }), "plot::svg(GroupedBars 'accuracy'): no series"));
  bars.groups.clear();
  CHECK(has(message([&] { svg(bars); }), "plot::svg(GroupedBars 'accuracy'): no groups"));
  for (const auto& [low, high] : {std::pair{1.0, 1.0}, {2.0, 1.0}, {kNaN, 1.0}, {0.0, kInf}}) {
    bars = two_models();
    bars.y_min = low, bars.y_max = high;
    CHECK(has(message([&] { svg(bars); }),
              "are not a valid range; both must be finite, and y_min below y_max"));
  }
}
