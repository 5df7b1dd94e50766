#pragma once

#include <gradus/error.hpp>
#include <gradus/plot/bars.hpp>
#include <gradus/plot/curves.hpp>
#include <gradus/plot/heatmap.hpp>
#include <gradus/plot/search_tree.hpp>

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catch.hpp"

/// Helpers for tests of pictures: functions that read a picture, and a small picture of each kind.
namespace plot = gradus::plot;

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInf = std::numeric_limits<double>::infinity();

inline std::size_t count(std::string_view text, std::string_view part) {
  std::size_t n = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

inline bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

inline bool near(double a, double b, double tolerance) { return std::abs(a - b) <= tolerance; }

// The numeric attribute `name` of the first element that starts with `marker`.
inline double attribute(const std::string& text, const std::string& marker, const std::string& name) {
  const std::size_t element = text.find(marker);
  REQUIRE(element != text.npos);
  const std::size_t at = text.find(" " + name + "=\"", element);
  REQUIRE(at < text.find('>', element));
  return std::strtod(text.c_str() + at + name.size() + 3, nullptr);
}

// True if a text element has exactly this text.
inline bool shows(std::string_view picture, std::string_view text) {
  std::string element = ">";
  element += text;
  element += "</text>";
  return has(picture, element);
}

// The class of the element that has this tooltip.
inline std::string class_of(const std::string& svg, const std::string& tooltip) {
  const std::size_t title = svg.find("<title>" + tooltip + "</title>");
  REQUIRE(title != svg.npos);
  const std::size_t at = svg.find("class=\"", svg.rfind('<', title - 1)) + 7;
  return svg.substr(at, svg.find('"', at) - at);
}

template <class Draw>
std::string message(Draw draw) {
  try {
    draw();
  } catch (const gradus::Error& error) {
    return error.what();
  }
  return "no error";
}

inline plot::Heatmap alignment(std::size_t n) {
  plot::Heatmap heatmap{"alignment", "source", "target", {}, {}, {}};
  for (std::size_t i = 0; i < n; ++i) {
    heatmap.columns.push_back(std::string("s").append(std::to_string(i)));
    heatmap.rows.push_back(std::string("t").append(std::to_string(i)));
    for (std::size_t j = 0; j < n; ++j) {
      const double distance = static_cast<double>(j) - static_cast<double>(n - 1 - i);
      heatmap.values.push_back(std::exp(-distance * distance));
    }
  }
  return heatmap;
}

inline plot::Heatmap two_by_three() {
  return {"map", "x", "y", {"a", "b", "c"}, {"p", "q"}, {0, 0.25, 0.5, 0.75, 1, kNaN}};
}

inline plot::Curves line(std::vector<double> x, std::vector<double> y) {
  return {"loss", "step", "nats", {{"train", std::move(x), std::move(y)}}};
}

inline plot::GroupedBars two_models() {
  return {"accuracy", "length", "fraction", {"3", "4"}, {{"plain", {0.5, 0.25}}, {"attention", {1, kNaN}}}};
}

// A beam search of width 2. Node a has two children: c, the end of the best hypothesis, and d, which has
// ended. Node b has one child, e, which is dropped.
inline plot::SearchTree beam_of_two() {
  return {"beam",
          {{-1, "<bos>", "", plot::Fate::best},
           {0, "a", "-0.5", plot::Fate::best},
           {0, "b", "-1.2", plot::Fate::kept},
           {1, "c", "-0.9", plot::Fate::best},
           {1, "d", "-1.5", plot::Fate::ended},
           {2, "e", "-4", plot::Fate::dropped}}};
}
