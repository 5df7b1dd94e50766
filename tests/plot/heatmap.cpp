#include <algorithm>

#include "plot/colours.hpp"
#include "plot/picture.hpp"

TEST_CASE("a heatmap has a cell with a tooltip for every value", "[plot]") {
  const std::string picture = svg(alignment(12));
  CHECK(count(picture, "</title></rect>") == 144);
  CHECK(has(picture, "<title>t0, s11: 1</title>"));
  CHECK(has(picture, "<title>t0, s10: 0.3679</title>"));
  for (const char* text :
       {">alignment</text>", ">source</text>", ">target</text>", ">s7</text>", ">t7</text>"}) {
    CHECK(has(picture, text));
  }
  CHECK(picture.size() < 25000);
}

TEST_CASE("a heatmap's rows run downwards and its columns to the right, with labels above", "[plot]") {
  const std::string picture = svg(two_by_three());
  const auto place = [&](const std::string& tooltip, const std::string& name) {
    const std::string element = picture.substr(0, picture.find("<title>" + tooltip));
    return attribute(element.substr(element.rfind("<rect")), "<rect", name);
  };
  CHECK(place("p, b: 0.25", "x") > place("p, a: 0", "x"));
  CHECK(place("p, b: 0.25", "y") == place("p, a: 0", "y"));
  CHECK(place("q, a: 0.75", "y") > place("p, a: 0", "y"));
  CHECK(place("q, a: 0.75", "x") == place("p, a: 0", "x"));
  const std::string label = picture.substr(0, picture.find(">a</text>"));
  CHECK(attribute(label.substr(label.rfind("<text")), "<text", "y") < place("p, a: 0", "y"));
}

TEST_CASE("brackets replace a heatmap's row labels, and the colour scale has a name", "[plot]") {
  plot::Heatmap grouped = two_by_three();
  const std::string plain = svg(grouped);
  grouped.groups = {{"a long name", 1}, {"none", 0}, {"", 1}};
  grouped.scale_name = "weight";
  const std::string picture = svg(grouped);
  CHECK(count(picture, "<path class=\"gp-axis\"") == 2 + count(plain, "<path class=\"gp-axis\""));
  CHECK(has(picture, ">a long name</text>"));
  CHECK(has(picture, ">weight</text>"));
  CHECK_FALSE(has(picture, ">none</text>"));
  CHECK_FALSE(has(picture, ">p</text>"));
  CHECK(has(picture, "<title>p, a: 0</title>"));
  CHECK(attribute(picture, "<svg", "width") > attribute(plain, "<svg", "width") + 40);
  grouped.groups.pop_back();
  CHECK(has(message([&] { svg(grouped); }),
            "the groups have 1 rows, but the heatmap 2; put each row into one group"));
}

TEST_CASE("a heatmap's colours span its range, and values beyond it are clamped", "[plot]") {
  const std::string picture = svg(two_by_three());
  CHECK(class_of(picture, "p, a: 0") == "gp-q0");
  CHECK(class_of(picture, "q, b: 1") == "gp-q63");
  CHECK(class_of(picture, "p, c: 0.5") == "gp-q32");

  plot::Heatmap wide = two_by_three();
  wide.min = -4, wide.max = 4;
  wide.values = {-5, -4, 0, 4, 99, kInf};
  const std::string clamped = svg(wide);
  CHECK(class_of(clamped, "p, a: -5") == "gp-q0");
  CHECK(class_of(clamped, "p, b: -4") == "gp-q0");
  CHECK(class_of(clamped, "q, b: 99") == "gp-q63");
  CHECK(class_of(clamped, "q, c: inf") == "gp-q63");
}

TEST_CASE("the heatmap scale darkens monotonically in light and lightens in dark", "[plot]") {
  plot::Heatmap all{"", "", "", {}, {"r"}, {}, 0, 63};
  for (int i = 0; i < 64; ++i) {
    all.columns.emplace_back();
    all.values.push_back(i);
  }
  const std::string picture = svg(all);
  for (const bool dark : {false, true}) {
    const auto found = rules(picture, dark);
    for (int i = 1; i < 64; ++i) {
      const double step = luminance(found.at(".gp-q" + std::to_string(i))) -
                          luminance(found.at(".gp-q" + std::to_string(i - 1)));
      INFO("level " << i);
      CHECK((dark ? step > 0 : step < 0));
    }
    const std::string back = found.at(".gp-back");
    CHECK(contrast(found.at(".gp-q0"), back) < 1.3);
    CHECK(contrast(found.at(".gp-q63"), back) > 9);
  }
}

TEST_CASE("tooltips have readable numbers", "[plot]") {
  plot::Heatmap heatmap{"", "", "", {}, {"r"}, {}, 0, 1};
  const std::vector<std::pair<double, const char*>> numbers = {
      {0, "0"},        {-0.0, "0"},          {30000, "30000"},          {1234567, "1234567"},
      {1e7, "1e7"},    {-2.5e-9, "-2.5e-9"}, {0.00012346, "0.0001235"}, {0.5, "0.5"},
      {99.999, "100"}, {-12.346, "-12.35"},  {1.5e300, "1.5e300"},      {100, "100"},
      {1e10, "1e10"}};
  for (const auto& [value, text] : numbers) {
    heatmap.columns.emplace_back();
    heatmap.values.push_back(value);
  }
  const std::string picture = svg(heatmap);
  CHECK_FALSE(has(picture, "-0<"));
  for (const auto& [value, text] : numbers) {
    INFO(value);
    CHECK(has(picture, std::string("<title>r, : ").append(text).append("</title>")));
  }
}

TEST_CASE("a missing value is drawn as a cross", "[plot]") {
  const std::string picture = svg(two_by_three());
  CHECK(class_of(picture, "q, c: missing") == "gp-hit");
  CHECK(count(picture, "<path class=\"gp-axis\"") == 1);
}

TEST_CASE("with empty_zeros, a heatmap's exact zeros are empty cells, and the scale says so", "[plot]") {
  plot::Heatmap heatmap = two_by_three();
  heatmap.values[1] = 1e-12;
  CHECK(class_of(svg(heatmap), "p, a: 0") == "gp-q0");
  CHECK_FALSE(shows(svg(heatmap), "exactly 0"));

  heatmap.empty_zeros = true;
  const std::string picture = svg(heatmap);
  CHECK(class_of(picture, "p, a: 0") == "gp-grid gp-hit");
  CHECK(class_of(picture, "p, b: 1e-12") == "gp-q0");  // not exactly 0
  CHECK(class_of(picture, "q, c: missing") == "gp-hit");
  CHECK(count(picture, "<rect class=\"gp-grid gp-hit\"") == 1 + 1);  // one in the legend
  CHECK(shows(picture, "exactly 0"));

  // The legend is below the grid's bottom here, and inside the picture.
  const double legend = attribute(picture.substr(picture.rfind("<rect")), "<rect", "y");
  CHECK(legend + 10 < attribute(picture, "<svg", "height"));

  heatmap.cell_width = heatmap.cell_height = 4;  // cells that touch each other
  CHECK(count(svg(heatmap), "h4v4h-4z") == 4);
}

TEST_CASE("a heatmap's cells can have another width than height", "[plot]") {
  plot::Heatmap heatmap = alignment(12);
  heatmap.cell_width = 20, heatmap.cell_height = 12;
  heatmap.columns[3] = "a label wider than its cell";
  const std::string picture = svg(heatmap);
  CHECK(count(picture, " width=\"19\" height=\"11\"") == 144);
  CHECK(count(picture, "</title></rect>") == 144);
  CHECK_FALSE(has(picture, "rotate(-45"));  // the column labels are not rotated
  CHECK(attribute(picture, "<svg", "width") > 240);
}

TEST_CASE("cells below 10 pixels touch, and are drawn as one path for each colour", "[plot]") {
  plot::Heatmap heatmap{"sound", "", "", std::vector<std::string>(200), std::vector<std::string>(20), {}};
  for (int i = 0; i < 4000; ++i) heatmap.values.push_back(i % 2 == 0 ? 1 : 0);
  heatmap.values.back() = kNaN;
  heatmap.cell_width = 4, heatmap.cell_height = 8;
  const std::string picture = svg(heatmap);
  CHECK(count(picture, " gp-touching\"") == 2);
  CHECK(count(picture, "h4v8h-4z") == 3999);
  CHECK_FALSE(has(picture, "<title>"));
  CHECK(has(picture, "crispEdges"));
  CHECK(picture.size() < 80000);
  CHECK_FALSE(has(svg(alignment(12)), "gp-touching"));
}

TEST_CASE("long labels are truncated, but not in the tooltip", "[plot]") {
  plot::Heatmap heatmap = two_by_three();
  heatmap.rows[0] = "Donaudampfschifffahrtsgesellschaft";
  const std::string picture = svg(heatmap);
  CHECK(has(picture, ">Donaudampfschifffah…</text>"));
  CHECK(has(picture, "<title>Donaudampfschifffahrtsgesellschaft, a: 0</title>"));
}

TEST_CASE("a heatmap that cannot be drawn is refused", "[plot]") {
  plot::Heatmap heatmap = two_by_three();
  heatmap.values.pop_back();
  CHECK(message([&] { svg(heatmap); }) ==
        "plot::svg(Heatmap 'map'): values has 5 elements, but 2 rows × 3 columns = 6; give one value per "
        "cell, row-major, and one label per row and column");
  heatmap = {"map", "", "", {}, {"p"}, {}};
  CHECK(message([&] { svg(heatmap); }) ==
        "plot::svg(Heatmap 'map'): 1 rows × 0 columns have no cells; add at least one row and one column");
  for (const auto& [min, max] : {std::pair{1.0, 1.0}, {2.0, 1.0}, {kNaN, 1.0}, {0.0, kNaN}, {0.0, kInf}}) {
    heatmap = two_by_three();
    heatmap.min = min, heatmap.max = max;
    CHECK(
        has(message([&] { svg(heatmap); }), "are not a valid range; both must be finite, and min below max"));
  }
}
