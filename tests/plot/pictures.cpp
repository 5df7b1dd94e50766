#include <gradus/plot/animation.hpp>
#include <gradus/plot/page.hpp>

#include <clocale>
#include <set>

#include "plot/colours.hpp"
#include "plot/markup.hpp"
#include "plot/picture.hpp"

namespace {

constexpr std::string_view kNasty = "<b>\"Q&A\"</b> 'x' \x1b[31m \xff 注意";

// A picture of every kind, with labels that break the markup unless plot escapes them.
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

TEST_CASE("pictures make no requests", "[plot]") {
  for (const std::string& picture : nasty_pictures()) {
    for (const char* request : {"href", "url(", "@import", "src="}) CHECK_FALSE(has(picture, request));
    CHECK(count(picture, "http") == 1);  // only the XML namespace
  }
}

TEST_CASE("text and series have enough contrast in light and in dark", "[plot]") {
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

TEST_CASE("numbers are independent of the locale", "[plot]") {
  const std::string before = svg(two_by_three());
  const char* locale = std::setlocale(LC_ALL, "de_DE.UTF-8");
  const std::string after = svg(two_by_three());
  std::setlocale(LC_ALL, "C");
  if (locale) CHECK(before == after);
  CHECK(has(before, "0.25"));
}
