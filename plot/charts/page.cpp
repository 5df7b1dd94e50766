#include <gradus/error.hpp>
#include <gradus/plot/page.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "drawing/palette.hpp"
#include "text/number.hpp"
#include "text/xml.hpp"

namespace gradus::plot {
namespace {

constexpr std::string_view kLayout = R"(
body{margin:0 auto;max-width:72rem;padding:1.5rem 1.25rem 4rem;
font:16px/1.6 system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','Noto Sans CJK SC',sans-serif}
h1{font-size:1.8rem;line-height:1.25;margin:.5rem 0 1rem}
h2{font-size:1.25rem;line-height:1.3;margin:2.5rem 0 .75rem}
p{max-width:44rem;margin:.75rem 0;overflow-wrap:break-word}
.figures{display:flex;flex-wrap:wrap;gap:1rem 1.5rem;align-items:flex-start;margin:1rem 0}
.scroll{overflow-x:auto;max-width:100%}
.figures svg{display:block;max-width:100%;min-width:var(--least);height:auto}
table{border-collapse:collapse;margin:1rem 0;font-variant-numeric:tabular-nums}
th,td{padding:.35rem .9rem .35rem 0;text-align:left;border-bottom:1px solid;white-space:nowrap}
th{font-weight:600}
.number{text-align:right}
pre{overflow-x:auto;margin:1rem 0;padding:.9rem 1rem;border:1px solid;border-radius:8px;
font:13px/1.45 ui-monospace,'SF Mono',Menlo,Consolas,'DejaVu Sans Mono',monospace}
@media(max-width:480px){body{padding:1rem .75rem 3rem}h1{font-size:1.5rem}}
)";

std::string colours(Theme theme) {
  const Surface s = surface(theme);
  return "body{background:" + hex(s.background) + ";color:" + hex(s.ink) + "}th{color:" + hex(s.muted) +
         "}th,td,pre{border-color:" + hex(s.grid) + "}";
}

std::string element(const std::string& name, std::string_view text) {
  return "<" + name + ">" + escape(text) + "</" + name + ">\n";
}

std::string paragraphs(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += element("p", text);
  return out;
}

// Makes a wide picture scroll on a phone, because the picture would be unreadable at the phone's width.
std::string figure(const std::string& svg) {
  constexpr std::string_view kWidth = " width=\"";
  const std::size_t at = svg.find(kWidth);
  double width = 0;
  if (at < svg.find('>')) std::from_chars(svg.data() + at + kWidth.size(), svg.data() + svg.size(), width);
  return "<div class=\"scroll\" style=\"--least:" + pixels(0.55 * width) + "px\">" + svg + "</div>\n";
}

std::string figures(const Section& section) {
  if (section.svgs.empty()) return {};
  std::string out = "<div class=\"figures\">\n";
  for (std::size_t i = 0; i < section.svgs.size(); ++i) {
    if (!section.svgs[i].starts_with("<svg")) {
      throw Error("plot::html: SVG " + std::to_string(i + 1) + " of " + std::to_string(section.svgs.size()) +
                  " in section '" + section.heading +
                  "' does not begin with <svg; give the result of svg(…) or strip(…)");
    }
    out += figure(section.svgs[i]);
  }
  return out + "</div>\n";
}

bool is_number(const std::string& text) {
  double number = 0;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  return error == std::errc{} && (end == last || std::string_view(end, last) == "%");
}

bool is_numeric(const Table& table, std::size_t column) {
  return std::all_of(table.rows.begin(), table.rows.end(), [column](const std::vector<std::string>& row) {
    return row[column].empty() || is_number(row[column]);
  });
}

std::string table_row(const std::string& cell, const std::vector<std::string>& texts,
                      const std::vector<bool>& numeric) {
  std::string out = "<tr>";
  for (std::size_t c = 0; c < texts.size(); ++c) {
    out += "<" + cell + (numeric[c] ? " class=\"number\">" : ">") + escape(texts[c]) + "</" + cell + ">";
  }
  return out + "</tr>\n";
}

std::string table(const Section& section) {
  const Table& table = section.table;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    if (table.rows[r].size() == table.columns.size()) continue;
    throw Error("plot::html: row " + std::to_string(r + 1) + " of the table in section '" + section.heading +
                "' has " + std::to_string(table.rows[r].size()) + " cells for " +
                std::to_string(table.columns.size()) +
                " columns; give one cell per column, empty if there is no value");
  }
  if (table.columns.empty()) return {};

  std::vector<bool> numeric;
  for (std::size_t c = 0; c < table.columns.size(); ++c) numeric.push_back(is_numeric(table, c));
  std::string out = "<div class=\"scroll\"><table>\n<thead>" + table_row("th", table.columns, numeric) +
                    "</thead>\n<tbody>\n";
  for (const auto& row : table.rows) out += table_row("td", row, numeric);
  return out + "</tbody></table></div>\n";
}

}  // namespace

std::string html(const Page& page) {
  // The content security policy blocks all requests, because the page needs no other file.
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "img-src "
      "data:\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n";
  out += element("title", page.title) + "<style>" + std::string(kLayout) + colours(Theme::light) +
         "@media(prefers-color-scheme:dark){" + colours(Theme::dark) + "}</style>\n</head>\n<body>\n";
  out += element("h1", page.title) + paragraphs(page.intro);
  for (const Section& section : page.sections) {
    out += "<section>\n";
    if (!section.heading.empty()) out += element("h2", section.heading);
    out += paragraphs(section.paragraphs) + figures(section) + table(section);
    if (!section.preformatted.empty()) out += element("pre", section.preformatted);
    out += "</section>\n";
  }
  return out + "</body>\n</html>\n";
}

}  // namespace gradus::plot
