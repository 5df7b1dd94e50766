#include <gradus/error.hpp>
#include <gradus/plot/page.hpp>

#include <string>

#include "catch.hpp"

namespace plot = gradus::plot;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

plot::Page with_table(plot::Table table) {
  return {"report", {}, {{"results", {}, {}, std::move(table), ""}}};
}

}  // namespace

TEST_CASE("a page contains everything given, in order", "[plot]") {
  const std::string html = plot::html({"report",
                                       {"intro one", "intro two"},
                                       {{"heading", {"text"}, {"<svg id=\"given\"></svg>"}, {}, "a\n  b"}}});
  std::size_t at = 0;
  for (const char* part :
       {"<!DOCTYPE html>", "<title>report</title>", "<h1>report</h1>", "<p>intro one</p>", "<p>intro two</p>",
        "<h2>heading</h2>", "<p>text</p>", "<svg id=\"given\"></svg>", "<pre>a\n  b</pre>", "</html>"}) {
    INFO(part);
    at = html.find(part, at);
    REQUIRE(at != html.npos);
  }
  CHECK_FALSE(has(html, "<table>"));
}

TEST_CASE("a page supports light, dark and phones, and makes no requests", "[plot]") {
  const std::string html = plot::html({"report", {}, {}});
  CHECK(has(html, "@media(prefers-color-scheme:dark)"));
  CHECK(has(html, "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"));
  CHECK(has(html, "default-src 'none'"));
  for (const char* request : {"http:", "https:", "//", "<script", "@import", "url("})
    CHECK_FALSE(has(html, request));
}

TEST_CASE("columns of numbers in a page are right-aligned", "[plot]") {
  const std::string html = plot::html(
      with_table({{"model", "BLEU", "note"}, {{"a", "17.82", "1"}, {"b", "95%", "x"}, {"c", "", ""}}}));
  CHECK(has(html, "<th>model</th><th class=\"number\">BLEU</th><th>note</th>"));
  CHECK(has(html, "<td>a</td><td class=\"number\">17.82</td><td>1</td>"));
}

TEST_CASE("invalid tables and pictures are refused", "[plot]") {
  const auto message = [](const plot::Page& page) -> std::string {
    try {
      plot::html(page);
    } catch (const gradus::Error& error) {
      return error.what();
    }
    return "no error";
  };
  CHECK(message(with_table({{"a", "b"}, {{"1", "2"}, {"3"}}})) ==
        "plot::html: row 2 of the table in section 'results' has 1 cells for 2 columns; give one cell per "
        "column, empty if there is no value");
  CHECK(message({"report", {}, {{"heading", {}, {"<svg></svg>", "picture.svg"}, {}, ""}}}) ==
        "plot::html: SVG 2 of 2 in section 'heading' does not begin with <svg; give the result of svg(…) or "
        "strip(…)");
}
