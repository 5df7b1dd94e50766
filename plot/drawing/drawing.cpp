#include "drawing/drawing.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <initializer_list>
#include <map>

#include "drawing/palette.hpp"
#include "text/join.hpp"
#include "text/number.hpp"
#include "text/unicode.hpp"
#include "text/xml.hpp"

namespace gradus::plot {
namespace {

struct Attribute {
  std::string text;

  Attribute(std::string_view name, std::string_view value) : text(join(" ", name, "=\"", value, "\"")) {}
  Attribute(std::string_view name, double value) : Attribute(name, pixels(value)) {}
};

// A start tag without the closing bracket.
std::string tag(std::string_view name, std::initializer_list<Attribute> attributes) {
  std::string out = join("<", name);
  for (const Attribute& attribute : attributes) out += attribute.text;
  return out;
}

// An element whose only content is the tooltip, if any.
std::string element(std::string_view name, std::initializer_list<Attribute> attributes,
                    std::string_view tooltip = {}) {
  const std::string start = tag(name, attributes);
  return tooltip.empty() ? start + "/>" : join(start, "><title>", escape(tooltip), "</title></", name, ">");
}

int level_of(double t) { return static_cast<int>(std::lround(t * (kLevels - 1))); }

std::string moved(double dx, double dy) { return join("translate(", pixels(dx), " ", pixels(dy), ")"); }

bool is_ascii_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '^';
}

// True if the name that ends before index `at` is a single letter or digit. A letter outside ASCII, such as
// ρ, is always a name by itself.
bool follows_one_letter(std::string_view text, std::size_t at) {
  if (!is_ascii_word(text[at - 1])) return static_cast<unsigned char>(text[at - 1]) >= 0x80;
  return at == 1 || !is_ascii_word(text[at - 2]);
}

// Turns the subscripts and superscripts of a text into tspans, for label(). The text is already escaped.
std::string with_indices(std::string_view text) {
  std::string out, ends;
  std::size_t copied = 0;
  for (std::size_t at = 1; at + 1 < text.size(); ++at) {
    if ((text[at] != '_' && text[at] != '^') || !follows_one_letter(text, at)) continue;
    const bool in_braces = text[at + 1] == '{';
    const std::size_t first = at + (in_braces ? 2 : 1);
    const std::size_t last = in_braces ? text.find('}', first) : first + 1;
    if (last == std::string_view::npos || !is_ascii_word(text[first])) continue;
    const std::size_t next = last + (in_braces ? 1 : 0);
    if (next < text.size() && is_ascii_word(text[next])) continue;
    const int down = text[at] == '_' ? 3 : -4;
    out += join(text.substr(copied, at - copied), "<tspan class=\"gp-small\" dy=\"", std::to_string(down),
                "\">", text.substr(first, last - first), "</tspan>");
    if (next < text.size()) {  // returns to the baseline for the text that follows
      out += join("<tspan dy=\"", std::to_string(-down), "\">");
      ends += "</tspan>";
    }
    copied = next;
  }
  return join(out, text.substr(copied), ends);
}

// Rules common to both themes.
constexpr std::string_view kShapes =
    ".gp{font:12px system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','Noto Sans CJK SC','PingFang SC',"
    "'Microsoft YaHei',sans-serif;max-width:100%;height:auto}"
    ".gp-title{font-size:15px;font-weight:600}.gp-small{font-size:10px}"
    ".gp-grid,.gp-axis{stroke-width:1;fill:none}"
    ".gp-line{fill:none;stroke:currentColor;stroke-width:1.6;stroke-linecap:round;stroke-linejoin:round}"
    ".gp-fill{fill:currentColor}.gp-hit{fill:transparent}"
    ".gp-dash1{stroke-dasharray:7 5}.gp-dash2{stroke-dasharray:1 5}";

// Colour rules of one theme.
std::string colours(Theme theme, const std::set<int>& levels) {
  const Surface s = surface(theme);
  std::string css = join(".gp-back{fill:", hex(s.background), "}.gp-ink,.gp-title{fill:", hex(s.ink),
                         "}.gp-muted{fill:", hex(s.muted), "}.gp-axis{stroke:", hex(s.muted),
                         "}.gp-grid{stroke:", hex(s.grid), "}");
  for (std::size_t i = 0; i < kSeriesColours; ++i) {
    css += join(".gp-s", std::to_string(i), "{color:", hex(series_colour(i, theme)), "}");
  }
  for (const int level : levels) {
    css += join(".gp-q", std::to_string(level), "{fill:", hex(ramp(level / (kLevels - 1.0), theme)), "}");
  }
  return css;
}

}  // namespace

double text_width(std::string_view text, double size) {
  double width = 0;
  for (const char32_t code : decode(text)) {
    if (columns_of(code) != 1) {
      width += columns_of(code) == 2 ? 1.02 : 0;
    } else if (code < 0x80 && std::string_view("iljtfrI.,:;'|!()[] -").find(static_cast<char>(code)) !=
                                  std::string_view::npos) {
      width += 0.37;
    } else if (code == U'm' || code == U'w' || code == U'M' || code == U'W' || code == U'@' || code == U'%') {
      width += 0.93;
    } else {
      width += code >= U'A' && code <= U'Z' ? 0.7 : 0.6;
    }
  }
  return width * size;
}

double title_width(std::string_view text) { return 1.15 * text_width(text, kTitle); }

void Drawing::line(std::string_view css, double x1, double y1, double x2, double y2) {
  body_ += element("line", {{"class", css}, {"x1", x1}, {"y1", y1}, {"x2", x2}, {"y2", y2}});
}

void Drawing::path(std::string_view css, std::string_view data) {
  body_ += element("path", {{"class", css}, {"d", data}});
}

void Drawing::rect(std::string_view css, const Box& box, std::string_view tooltip) {
  body_ += element("rect",
                   {{"class", css}, {"x", box.x}, {"y", box.y}, {"width", box.width}, {"height", box.height}},
                   tooltip);
}

void Drawing::dot(std::string_view css, double x, double y, double radius, std::string_view tooltip) {
  body_ += element("circle", {{"class", css}, {"cx", x}, {"cy", y}, {"r", radius}}, tooltip);
}

void Drawing::text(std::string_view css, double x, double y, std::string_view content, Anchor anchor,
                   double degrees) {
  escaped_text(css, x, y, escape(one_line(content)), anchor, degrees);
}

void Drawing::label(std::string_view css, double x, double y, std::string_view content, Anchor anchor,
                    double degrees) {
  escaped_text(css, x, y, with_indices(escape(one_line(content))), anchor, degrees);
}

void Drawing::escaped_text(std::string_view css, double x, double y, std::string_view content, Anchor anchor,
                           double degrees) {
  if (content.empty()) return;
  body_ +=
      degrees == 0
          ? tag("text", {{"class", css}, {"x", x}, {"y", y}})
          : tag("text", {{"class", css}, {"transform", join(moved(x, y), "rotate(", pixels(degrees), ")")}});
  if (anchor != Anchor::start) {
    body_ += Attribute("text-anchor", anchor == Anchor::middle ? "middle" : "end").text;
  }
  body_ += join(">", content, "</text>");
}

void Drawing::cell(double t, const Box& box, std::string_view tooltip) {
  const int level = level_of(t);
  levels_.insert(level);
  rect(join("gp-q", std::to_string(level)), box, tooltip);
}

void Drawing::cells(std::span<const Cell> cells) {
  std::map<int, std::string> paths;  // by colour level
  for (const auto& [t, box] : cells) {
    const std::string width = pixels(box.width);
    paths[level_of(t)] +=
        join("M", pixels(box.x), " ", pixels(box.y), "h", width, "v", pixels(box.height), "h-", width, "z");
  }
  for (const auto& [level, data] : paths) {
    levels_.insert(level);
    path(join("gp-q", std::to_string(level), " gp-touching"), data);
  }
  if (!paths.empty()) style(".gp-touching{shape-rendering:crispEdges}");
}

void Drawing::empty(const Box& box, std::string_view tooltip) {
  rect("gp-grid gp-hit", {box.x + 0.5, box.y + 0.5, box.width - 1, box.height - 1}, tooltip);
}

void Drawing::missing(const Box& box, std::string_view tooltip) {
  const double arm = std::min({box.width, box.height, 10.0}) * 0.3;
  const double left = box.x + box.width / 2 - arm, top = box.y + box.height / 2 - arm;
  const std::string side = pixels(2 * arm);
  path("gp-axis",
       join("M", pixels(left), " ", pixels(top), "l", side, " ", side, "m-", side, " 0l", side, "-", side));
  rect("gp-hit", box, tooltip);
}

void Drawing::begin_group(double dx, double dy) {
  body_ += join(tag("g", {{"transform", moved(dx, dy)}}), ">");
}

void Drawing::begin_group(std::string_view css) { body_ += join(tag("g", {{"class", css}}), ">"); }

void Drawing::end_group() { body_ += "</g>"; }

std::string Drawing::svg(const Box& view, std::string_view name) const {
  const std::string x = pixels(std::floor(view.x)), y = pixels(std::floor(view.y));
  const std::string width = pixels(std::ceil(view.width)), height = pixels(std::ceil(view.height));
  const std::string start = tag("svg", {{"xmlns", "http://www.w3.org/2000/svg"},
                                        {"class", "gp"},
                                        {"role", "img"},
                                        {"aria-label", escape(one_line(name))},
                                        {"width", width},
                                        {"height", height},
                                        {"viewBox", join(x, " ", y, " ", width, " ", height)}});
  const std::string back =
      element("rect", {{"class", "gp-back"}, {"x", x}, {"y", y}, {"width", width}, {"height", height}});
  return join(start, "><style>", kShapes, colours(Theme::light, levels_),
              "@media(prefers-color-scheme:dark){", colours(Theme::dark, levels_), "}", rules_, "</style>",
              back, body_, "</svg>\n");
}

std::string series_class(std::size_t series) {
  const std::string css = join("gp-s", std::to_string(series % kSeriesColours));
  const std::size_t dash = series / kSeriesColours % 3;
  return dash == 0 ? css : join(css, " gp-dash", std::to_string(dash));
}

}  // namespace gradus::plot
