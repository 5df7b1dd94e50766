#include <gradus/plot/animation.hpp>

#include <set>
#include <string>

#include "plot/picture.hpp"

TEST_CASE("a strip has all its heatmaps, and one colour scale if their ranges are equal", "[plot]") {
  plot::Heatmap first = two_by_three(), second = two_by_three();
  second.title = "later";
  second.columns[0] = "a much longer label";
  const std::string shared = plot::strip({first, second});
  CHECK(count(shared, "<svg") == 1);
  CHECK(count(shared, "</title></rect>") == 12);
  CHECK(count(shared, ">0.5</text>") + count(shared, ">1</text>") == 1 + (count(svg(first), ">0.5</text>")));
  CHECK(attribute(shared, "<svg", "width") > 2 * 3 * 32);
  // The grids must line up, although the labels have different lengths.
  CHECK(count(shared, " y=\"" +
                          std::to_string(static_cast<int>(attribute(shared, "<rect class=\"gp-q0\"", "y"))) +
                          "\"") >= 6);

  second.empty_zeros = true;
  CHECK(count(plot::strip({first, second}), ">1</text>") == 2);  // the scales differ

  second.max = 3;
  CHECK(count(plot::strip({first, second}), ">1</text>") == 1);
  CHECK(count(plot::strip({first, second}), ">3</text>") == 1);
  CHECK(has(message([] { plot::strip({}); }), "plot::strip: no heatmaps"));
  second.values.clear();
  CHECK(has(message([&] { plot::strip({first, second}); }),
            "plot::strip(Heatmap 'later'): values has 0 elements"));
}

TEST_CASE("a strip can have several rows", "[plot]") {
  const std::vector<plot::Heatmap> five(5, two_by_three());
  const std::string one_row = plot::strip(five), two_rows = plot::strip(five, 3);
  CHECK(plot::strip(five, 5) == one_row);
  CHECK(count(two_rows, "</title></rect>") == 30);
  const double width = attribute(two_rows, "<svg", "width"), height = attribute(two_rows, "<svg", "height");
  CHECK(width < 0.7 * attribute(one_row, "<svg", "width"));
  CHECK(height == 2 * attribute(one_row, "<svg", "height"));
  // The fourth picture starts a row: it is at the left edge, below the first.
  std::size_t fourth = 0;
  for (int i = 0; i < 4; ++i) fourth = two_rows.find("<g ", fourth) + 1;
  CHECK(two_rows.substr(fourth).starts_with("g transform=\"translate(0 " +
                                            std::to_string(static_cast<int>(height / 2)) + ")\""));
  CHECK(message([&] { plot::strip(five, 0); }) == "plot::strip: per_row is 0; give at least 1");
}

TEST_CASE("the longer side of a heatmap has the requested length", "[plot]") {
  plot::Heatmap heatmap = alignment(20);
  const auto cell = [&](double side) {
    heatmap.side = side;
    return attribute(svg(heatmap), "<rect class=\"gp-q", "width") + 1;
  };
  CHECK(cell(400) == 20);
  CHECK(cell(319) == 15);
  CHECK(cell(1) == 10);
  CHECK(cell(1e6) == 32);
}

TEST_CASE("an animation shows its heatmaps in turn, and the last one with reduced motion", "[plot]") {
  plot::Heatmap first = two_by_three(), second = alignment(4), third = two_by_three();
  second.title = "later", third.title = "last";
  const std::string picture = plot::animation({first, second, third});
  CHECK(count(picture, "</title></rect>") == 6 + 16 + 6);

  // Each frame covers all frames before it, even larger ones. So without animation, the last frame shows.
  const double width = attribute(svg(second), "<svg", "width");
  CHECK(attribute(picture, "<svg", "width") == width);
  std::size_t at = 0;
  for (const char* title : {"map", "later", "last"}) {
    const std::size_t frame = picture.find("<g class=\"gp-frame", at);
    REQUIRE(frame != picture.npos);
    CHECK(attribute(picture.substr(frame), "<rect class=\"gp-back\"", "width") == width);
    at = picture.find(std::string(">").append(title).append("</text>"), frame);
    REQUIRE(at != picture.npos);
  }
  CHECK(picture.find("<g class=\"gp-frame", at) == picture.npos);

  // The animation takes five seconds. The second frame appears after one second, the third after two. If the
  // reader prefers reduced motion, nothing moves.
  const std::size_t moves = picture.find("@media(prefers-reduced-motion:no-preference){");
  REQUIRE(moves != picture.npos);
  CHECK(picture.find("animation:") > moves);
  CHECK(picture.find("</style>") > picture.rfind("animation:"));
  CHECK(has(picture,
            ".gp-frame1of3{animation:gp-frame1of3 5s infinite}"
            "@keyframes gp-frame1of3{0%,20.00%{opacity:0;visibility:hidden}26.00%,100%{"));
  CHECK(has(picture,
            ".gp-frame2of3{animation:gp-frame2of3 5s infinite}"
            "@keyframes gp-frame2of3{0%,40.00%{opacity:0;visibility:hidden}46.00%,100%{"));
  CHECK_FALSE(has(picture, ".gp-frame0of3"));
  CHECK_FALSE(has(picture, "<script"));

  CHECK(has(message([] { plot::animation({}); }), "plot::animation: no heatmaps"));
  third.values.clear();
  CHECK(has(message([&] { plot::animation({first, third}); }),
            "plot::animation(Heatmap 'last'): values has 0 elements"));
}

TEST_CASE("in a column, the cells of all heatmaps begin at the same x", "[plot]") {
  plot::Heatmap first = two_by_three(), second = two_by_three();
  second.rows[0] = "a much longer label";
  const auto columns = [&](std::size_t per_row) {  // how many x positions the cells and the colour scale have
    std::set<std::string> all;
    const std::string drawn = plot::strip({first, second}, per_row), cell = "<rect class=\"gp-q";
    for (std::size_t at = drawn.find(cell); at != drawn.npos; at = drawn.find(cell, at + 1)) {
      const std::size_t x = drawn.find(" x=\"", at);
      all.insert(drawn.substr(x, drawn.find('"', x + 4) - x));
    }
    return all.size();
  };
  CHECK(columns(1) == 3 + 1);
  CHECK(columns(2) == 6 + 1);
}
