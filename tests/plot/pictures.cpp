#include <gradus/error.hpp>
#include <gradus/plot/animation.hpp>
#include <gradus/plot/bars.hpp>
#include <gradus/plot/curves.hpp>
#include <gradus/plot/heatmap.hpp>
#include <gradus/plot/page.hpp>
#include <gradus/plot/search_tree.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <clocale>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catch.hpp"

namespace plot = gradus::plot;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t n = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

bool near(double a, double b, double tolerance) { return std::abs(a - b) <= tolerance; }

// The number of an attribute in the first element that `marker` begins.
double attribute(const std::string& text, const std::string& marker, const std::string& name) {
  const std::size_t element = text.find(marker);
  REQUIRE(element != text.npos);
  const std::size_t at = text.find(" " + name + "=\"", element);
  REQUIRE(at < text.find('>', element));
  return std::strtod(text.c_str() + at + name.size() + 3, nullptr);
}

// Whether a text element has just this text.
bool shows(std::string_view picture, std::string_view text) {
  std::string element = ">";
  element += text;
  element += "</text>";
  return has(picture, element);
}

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == ':'; }

// Whether text may hold the character at `at`: no <, no control character, & only as the start of a
// reference.
bool is_escaped(const std::string& markup, std::size_t at) {
  const char c = markup[at];
  if (c == '&') {
    for (const std::string_view reference : {"&amp;", "&lt;", "&gt;", "&quot;"}) {
      if (markup.compare(at, reference.size(), reference) == 0) return true;
    }
    return false;
  }
  return c != '<' && (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t');
}

// Reads attributes from `at`, which ends behind them; returns what is wrong with them, or nothing.
std::string attribute_fault(const std::string& markup, std::size_t& at) {
  std::set<std::string> names;
  while (at < markup.size() && markup[at] == ' ') {
    const std::size_t start = ++at;
    while (at < markup.size() && is_name(markup[at])) ++at;
    if (markup.compare(at, 2, "=\"") != 0) return "attribute without a value";
    if (!names.insert(markup.substr(start, at - start)).second) return "attribute twice";
    for (at += 2; at < markup.size() && markup[at] != '"'; ++at) {
      if (!is_escaped(markup, at)) return "attribute not escaped";
    }
    if (at++ == markup.size()) return "attribute without an end";
  }
  return "";
}

// What is wrong with the markup, or nothing: tags nest, attributes are quoted and unique, texts are escaped.
// HTML's empty elements may stay open.
std::string fault(const std::string& markup) {
  std::vector<std::string> open;
  for (std::size_t at = 0; at < markup.size();) {
    if (markup[at] != '<') {
      if (!is_escaped(markup, at)) return "not escaped: " + markup.substr(at, 40);
      ++at;
      continue;
    }
    const std::size_t start = at++;
    if (markup.compare(at, 8, "!DOCTYPE") == 0) {
      at = markup.find('>', at) + 1;
      continue;
    }
    const bool closes = markup[at] == '/';
    const std::size_t name_start = at += closes;
    while (at < markup.size() && is_name(markup[at])) ++at;
    const std::string name = markup.substr(name_start, at - name_start);
    const std::string wrong = closes ? "" : attribute_fault(markup, at);
    if (!wrong.empty()) return wrong + ": " + markup.substr(start, 40);
    const bool empty = !closes && (name == "meta" || name == "link" || markup.compare(at, 2, "/>") == 0);
    at += markup.compare(at, 2, "/>") == 0;
    if (name.empty() || at >= markup.size() || markup[at++] != '>')
      return "no tag: " + markup.substr(start, 40);
    if (closes) {
      if (open.empty() || open.back() != name) return "closes nothing: " + markup.substr(start, 40);
      open.pop_back();
    } else if (!empty) {
      open.push_back(name);
    }
  }
  return open.empty() ? "" : "left open: " + open.back();
}

plot::Heatmap alignment(std::size_t n) {
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

plot::Heatmap two_by_three() {
  return {"map", "x", "y", {"a", "b", "c"}, {"p", "q"}, {0, 0.25, 0.5, 0.75, 1, kNaN}};
}

plot::Curves line(std::vector<double> x, std::vector<double> y) {
  return {"loss", "step", "nats", {{"train", std::move(x), std::move(y)}}};
}

plot::GroupedBars two_models() {
  return {"accuracy", "length", "share", {"3", "4"}, {{"plain", {0.5, 0.25}}, {"attention", {1, kNaN}}}};
}

// A beam of two: of the first pair one goes on twice, one not at all; then one ends, one is dropped.
plot::SearchTree beam_of_two() {
  return {"beam",
          {{-1, "<bos>", "", plot::Fate::best},
           {0, "a", "-0.5", plot::Fate::best},
           {0, "b", "-1.2", plot::Fate::kept},
           {1, "c", "-0.9", plot::Fate::best},
           {1, "d", "-1.5", plot::Fate::ended},
           {2, "e", "-4", plot::Fate::dropped}}};
}

constexpr std::string_view kNasty = "<b>\"Q&A\"</b> 'x' \x1b[31m \xff 注意";

// One of every kind, with labels that break careless markup.
std::vector<std::string> nasty_pictures() {
  const std::string nasty(kNasty);
  const plot::Heatmap heatmap{nasty, nasty, nasty, {nasty, "ok"}, {nasty}, {0.5, kNaN}};
  const plot::Curves curves{nasty, nasty, nasty, {{nasty, {0, 1, 2}, {1, kNaN, 2}}}};
  const plot::GroupedBars bars{nasty, nasty, nasty, {nasty, "ok"}, {{nasty, {1, kNaN}}}};
  const plot::SearchTree tree{nasty, {{-1, nasty, nasty}, {0, nasty, nasty, plot::Fate::ended}}};
  return {svg(heatmap),
          plot::strip({heatmap, heatmap}),
          plot::animation({heatmap, heatmap}),
          svg(curves),
          svg(bars),
          svg(tree)};
}

// selector → declarations, of the light rules (`dark` false) or of the dark ones.
std::map<std::string, std::string> rules(const std::string& svg, bool dark) {
  const std::size_t media = svg.find("@media"), style = svg.find("<style>") + 7;
  const std::string css =
      dark ? svg.substr(svg.find('{', media) + 1, svg.find("}}", media) - svg.find('{', media))
           : svg.substr(style, media - style);
  std::map<std::string, std::string> found;
  for (std::size_t at = 0, brace; (brace = css.find('{', at)) != css.npos; at = css.find('}', brace) + 1) {
    found[css.substr(at, brace - at)] += css.substr(brace + 1, css.find('}', brace) - brace - 1);
  }
  return found;
}

// The relative luminance of "fill:#rrggbb" or "color:#rrggbb".
double luminance(const std::string& declaration) {
  const std::size_t at = declaration.find('#') + 1;
  const std::array<double, 3> weights = {0.2126, 0.7152, 0.0722};
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const double v = std::stoi(declaration.substr(at + 2 * i, 2), nullptr, 16) / 255.0;
    sum += weights[i] * (v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4));
  }
  return sum;
}

double contrast(const std::string& a, const std::string& b) {
  const double x = luminance(a), y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

// The class of the element with this tooltip.
std::string class_of(const std::string& svg, const std::string& tooltip) {
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

}  // namespace

TEST_CASE("the markup checker finds faults", "[plot]") {
  CHECK(fault("<a b=\"1\"><c/>x &amp; y</a>") == "");
  for (const char* bad :
       {"<a>", "</a>", "<a></b>", "<a>&</a>", "<a b=1/>", "<a b=\"&\"/>", "<a b=\"1\" b=\"2\"/>", "<a>x<</a>",
        "<a", "<a b=\"1", "< a/>", "<a>\x1b</a>", "<a b=\"<\"/>"}) {
    INFO(bad);
    CHECK(fault(bad) != "");
  }
}

TEST_CASE("every picture and page is well-formed and escaped", "[plot]") {
  for (const std::string& picture : nasty_pictures()) {
    CHECK(fault(picture) == "");
    CHECK(picture.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
    CHECK(has(picture, "&lt;b&gt;&quot;Q&amp;A&quot;&lt;/b&gt;"));
    CHECK(has(picture, "注意"));
    CHECK_FALSE(has(picture, "<b>"));
    CHECK_FALSE(has(picture, "\x1b"));
    CHECK_FALSE(has(picture, "\xff"));
  }
  const std::string nasty(kNasty);
  const std::string page =
      plot::html({nasty,
                  {nasty},
                  {{nasty, {nasty}, nasty_pictures(), {{nasty, "n"}, {{nasty, "1"}}}, nasty + "\n\tline"}}});
  CHECK(fault(page) == "");
  CHECK_FALSE(has(page, "<b>"));
}

TEST_CASE("pictures on one page cannot interfere", "[plot]") {
  std::vector<std::string> pictures = nasty_pictures();
  pictures.push_back(svg(alignment(12)));
  for (const bool dark : {false, true}) {
    std::map<std::string, std::string> meaning;
    for (const std::string& picture : pictures) {
      CHECK(count(picture, " id=") == 0);
      const auto found = rules(picture, dark);
      CHECK(found.size() > 10);
      for (const auto& [selector, declarations] : found) {
        INFO(selector);
        CHECK(selector.starts_with(".gp"));
        CHECK(meaning.emplace(selector, declarations).first->second == declarations);
      }
    }
  }
}

TEST_CASE("pictures ask for nothing from outside", "[plot]") {
  for (const std::string& picture : nasty_pictures()) {
    for (const char* request : {"href", "url(", "@import", "src="}) CHECK_FALSE(has(picture, request));
    CHECK(count(picture, "http") == 1);  // the namespace
  }
}

TEST_CASE("text and series can be read in light and in dark", "[plot]") {
  const std::string picture = svg(two_models());
  for (const bool dark : {false, true}) {
    const auto found = rules(picture, dark);
    const std::string back = found.at(".gp-back");
    CHECK((luminance(back) < 0.1) == dark);
    CHECK(contrast(found.at(".gp-ink,.gp-title"), back) > 10);
    CHECK(contrast(found.at(".gp-muted"), back) > 4.5);
    for (int i = 0; i < 8; ++i) {
      INFO("series " << i);
      CHECK(contrast(found.at(".gp-s" + std::to_string(i)), back) > 3);
    }
  }
}

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

TEST_CASE("a heatmap's rows run down and its columns to the right, labels above", "[plot]") {
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

TEST_CASE("the heatmap's scale darkens steadily in light and lightens steadily in dark", "[plot]") {
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

TEST_CASE("tooltips have numbers as one writes them", "[plot]") {
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

TEST_CASE("a missing value is drawn as missing", "[plot]") {
  const std::string picture = svg(two_by_three());
  CHECK(class_of(picture, "q, c: missing") == "gp-hit");
  CHECK(count(picture, "<path class=\"gp-axis\"") == 1);
}

TEST_CASE("long labels are shortened, in the tooltip they are whole", "[plot]") {
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
        "plot::svg(Heatmap 'map'): values has 5 elements, but 2 rows × 3 columns = 6; give one value a cell, "
        "row by "
        "row, and one label a row and column");
  heatmap = {"map", "", "", {}, {"p"}, {}};
  CHECK(message([&] { svg(heatmap); }) ==
        "plot::svg(Heatmap 'map'): 1 rows × 0 columns have no cell; name at least one row and one column");
  for (const auto& [min, max] : {std::pair{1.0, 1.0}, {2.0, 1.0}, {kNaN, 1.0}, {0.0, kNaN}, {0.0, kInf}}) {
    heatmap = two_by_three();
    heatmap.min = min, heatmap.max = max;
    CHECK(has(message([&] { svg(heatmap); }), "are no range; both must be finite and min below max"));
  }
}

TEST_CASE("a strip has all its heatmaps, and one scale if they share it", "[plot]") {
  plot::Heatmap first = two_by_three(), second = two_by_three();
  second.title = "later";
  second.columns[0] = "a much longer label";
  const std::string shared = plot::strip({first, second});
  CHECK(count(shared, "<svg") == 1);
  CHECK(count(shared, "</title></rect>") == 12);
  CHECK(count(shared, ">0.5</text>") + count(shared, ">1</text>") == 1 + (count(svg(first), ">0.5</text>")));
  CHECK(attribute(shared, "<svg", "width") > 2 * 3 * 32);
  // The grids line up although their labels differ in length.
  CHECK(count(shared, " y=\"" +
                          std::to_string(static_cast<int>(attribute(shared, "<rect class=\"gp-q0\"", "y"))) +
                          "\"") >= 6);

  second.max = 3;
  CHECK(count(plot::strip({first, second}), ">1</text>") == 1);
  CHECK(count(plot::strip({first, second}), ">3</text>") == 1);
  CHECK(has(message([] { plot::strip({}); }), "plot::strip: there is no heatmap"));
  second.values.clear();
  CHECK(has(message([&] {
              plot::strip({first, second});
            }),
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
  // The fourth begins a row: it stands at the left, below the first.
  std::size_t fourth = 0;
  for (int i = 0; i < 4; ++i) fourth = two_rows.find("<g ", fourth) + 1;
  CHECK(two_rows.substr(fourth).starts_with("g transform=\"translate(0 " +
                                            std::to_string(static_cast<int>(height / 2)) + ")\""));
  CHECK(message([&] { plot::strip(five, 0); }) == "plot::strip: per_row is 0; give at least 1");
}

TEST_CASE("the longer side of a heatmap is as long as it should be", "[plot]") {
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

TEST_CASE("an animation shows its heatmaps in turn, and the last one where nothing may move", "[plot]") {
  plot::Heatmap first = two_by_three(), second = alignment(4), third = two_by_three();
  second.title = "later", third.title = "last";
  const std::string picture = plot::animation({first, second, third});
  CHECK(count(picture, "</title></rect>") == 6 + 16 + 6);

  // Each covers those before it, whatever their sizes: without an animation one sees the last.
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

  // Those after the first appear after one and two seconds of five, where motion is welcome.
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

  CHECK(has(message([] { plot::animation({}); }), "plot::animation: there is no heatmap"));
  third.values.clear();
  CHECK(has(message([&] {
              plot::animation({first, third});
            }),
            "plot::animation(Heatmap 'last'): values has 0 elements"));
}

TEST_CASE("curves have a legend, axis labels, round ticks and a dot a point", "[plot]") {
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
  CHECK_FALSE(has(picture, ">0.5</text>"));  // epochs are whole numbers
}

TEST_CASE("the ninth curve differs from the first", "[plot]") {
  plot::Curves curves = line({0, 1}, {0, 1});
  curves.series.resize(9, curves.series[0]);
  CHECK(has(svg(curves), "<path class=\"gp-line gp-s0 gp-dash1\""));
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
  CHECK(moves(line({0, 1, 2}, {1, kNaN, 3})) == 2);  // two lone points

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

TEST_CASE("thousands of points make a small picture that keeps every peak", "[plot]") {
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

  // Follow the path, and note where it is highest and lowest.
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

TEST_CASE("curves of extreme values are drawn in finite time and numbers", "[plot]") {
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
          svg(plot::Curves{"loss", "", "", {}});
        }) == "plot::svg(Curves 'loss'): there is no series; add at least one");
  CHECK(message([] {
          svg(line({1, 2, 3}, {1, 2}));
        }) == "plot::svg(Curves 'loss'): series 'train' has 3 x and 2 y; give one y for every x");
  CHECK(message([] { svg(line({}, {})); }) ==
        "plot::svg(Curves 'loss'): series 'train' has no point; leave it out or give it one");
}

TEST_CASE("bars are as high as their values, which stand above them", "[plot]") {
  const std::string picture = svg(two_models());
  const auto height = [&](const std::string& tooltip) {
    const std::string before = picture.substr(0, picture.find("<title>" + tooltip));
    return attribute(before.substr(before.rfind("<rect")), "<rect", "height");
  };
  CHECK(height("plain, 3: 0.5") > 50);
  CHECK(near(height("attention, 3: 1"), 2 * height("plain, 3: 0.5"), 0.2));
  CHECK(near(height("plain, 4: 0.25"), 0.5 * height("plain, 3: 0.5"), 0.2));
  for (const char* text : {"0.50", "0.25", "1.00", "plain", "attention", "3", "4", "length", "share"}) {
    INFO(text);
    CHECK(shows(picture, text));
  }
  CHECK(class_of(picture, "attention, 4: missing") == "gp-hit");
  CHECK(class_of(picture, "attention, 3: 1") == "gp-fill gp-s1");
  CHECK_FALSE(has(picture, ">nan</text>"));
}

TEST_CASE("bars are cut at the axis' ends, their printed values are not", "[plot]") {
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

TEST_CASE("values above bars give way when there is no room", "[plot]") {
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

TEST_CASE("long names below bars widen the picture instead of leaving it", "[plot]") {
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
        "plot::svg(GroupedBars 'accuracy'): series 'attention' has 1 values for 2 groups; give one a group, "
        "NaN where "
        "it is missing");
  bars = two_models();
  bars.series.clear();
  CHECK(has(message([&] { svg(bars); }), "plot::svg(GroupedBars 'accuracy'): there is no series"));
  bars.groups.clear();
  CHECK(has(message([&] { svg(bars); }), "plot::svg(GroupedBars 'accuracy'): there is no group"));
  for (const auto& [low, high] : {std::pair{1.0, 1.0}, {2.0, 1.0}, {kNaN, 1.0}, {0.0, kInf}}) {
    bars = two_models();
    bars.y_min = low, bars.y_max = high;
    CHECK(has(message([&] { svg(bars); }), "are no range; both must be finite and y_min below y_max"));
  }
}

TEST_CASE("a search tree has a column a step, and no two nodes in one place", "[plot]") {
  const std::string picture = svg(beam_of_two());
  const auto place = [&](const std::string& tooltip, const std::string& name) {
    const std::string element = picture.substr(0, picture.find("<title>" + tooltip + "</title>"));
    return attribute(element.substr(element.rfind("<rect")), "<rect", name);
  };
  CHECK(place("&lt;bos&gt;", "x") < place("a: -0.5", "x"));
  CHECK(place("a: -0.5", "x") == place("b: -1.2", "x"));
  CHECK(place("a: -0.5", "x") + place("a: -0.5", "width") < place("c: -0.9", "x"));
  CHECK(place("c: -0.9", "x") == place("e: -4", "x"));
  const double height = place("a: -0.5", "height");
  CHECK(place("a: -0.5", "y") + height < place("b: -1.2", "y"));
  CHECK(place("c: -0.9", "y") + height < place("d: -1.5", "y"));
  CHECK(place("d: -1.5", "y") + height < place("e: -4", "y"));
  CHECK(place("b: -1.2", "y") == place("e: -4", "y"));  // an only child stands beside its parent
  for (const char* text : {"beam", "step 1", "step 2", "a", "-0.5"}) CHECK(shows(picture, text));
  CHECK_FALSE(shows(picture, "step 3"));
}

TEST_CASE("a search tree shows every fate, and its key those that occur", "[plot]") {
  plot::SearchTree tree = beam_of_two();
  const std::string picture = svg(tree);
  for (const char* name : {"kept", "dropped", "ended", "best"}) CHECK(shows(picture, name));
  // Boxes: of each node but the dropped one, and of each entry of the key but the dropped ones'.
  CHECK(count(picture, "<rect class=\"gp-back gp-axis\"") == 1 + 1);
  CHECK(count(picture, "<rect class=\"gp-back gp-line gp-s2\"") == 1 + 1);
  CHECK(count(picture, "<rect class=\"gp-fill gp-s0\"") == 3 + 1);
  CHECK(count(picture, "<path class=\"gp-line gp-s0\"") == 2);  // the way to the best
  CHECK(count(picture, "<path class=\"gp-grid\"") == 1);
  tree.nodes.pop_back();
  CHECK_FALSE(shows(svg(tree), "dropped"));
}

TEST_CASE("a search tree that cannot be drawn is refused", "[plot]") {
  CHECK(message([] {
          svg(plot::SearchTree{"t", {}});
        }) == "plot::svg(SearchTree 't'): there is no node; add at least one");
  for (const std::int64_t parent : {-2, 1, 2}) {
    plot::SearchTree tree{"t", {{-1, "a"}, {parent, "b"}}};
    CHECK(message([&] { svg(tree); }) == "plot::svg(SearchTree 't'): the parent of node 1 is " +
                                             std::to_string(parent) + ", and must be an earlier node, or -1");
  }
}

TEST_CASE("numbers do not follow the locale", "[plot]") {
  const std::string before = svg(two_by_three());
  const char* locale = std::setlocale(LC_ALL, "de_DE.UTF-8");
  const std::string after = svg(two_by_three());
  std::setlocale(LC_ALL, "C");
  if (locale) CHECK(before == after);
  CHECK(has(before, "0.25"));
}
