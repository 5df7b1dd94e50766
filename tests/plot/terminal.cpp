#include <gradus/error.hpp>
#include <gradus/plot/terminal.hpp>

#include <cmath>
#include <fcntl.h>
#include <limits>
#include <optional>
#include <stdlib.h>
#include <string>
#include <sys/ioctl.h>
#include <unistd.h>
#include <vector>

#include "catch.hpp"

namespace plot = gradus::plot;
using plot::Colour;

namespace {

plot::Heatmap two_by_three() {
  return {"map",           "source",      "target",
          {"a", "b", "c"}, {"p", "long"}, {0, 0.3, 0.5, 0.7, 1, std::numeric_limits<double>::quiet_NaN()}};
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

// Sets or unsets an environment variable. The destructor restores it.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* old = ::getenv(name)) old_ = old;
    set(value);
  }
  ~Variable() { set(old_ ? old_->c_str() : nullptr); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  void set(const char* value) { value ? ::setenv(name_, value, 1) : ::unsetenv(name_); }
  const char* name_;
  std::optional<std::string> old_;
};

}  // namespace

TEST_CASE("a plain heatmap has no escape codes", "[plot]") {
  CHECK(plot::terminal(two_by_three(), Colour::none) ==
        "map\n"
        "↓ target  → source\n"
        "\n"
        "     a b c\n"
        "   p   ░░▒▒\n"
        "long ▓▓██··\n"
        "\n"
        "     0     ░░░░▒▒▒▒▓▓▓▓████ 1\n");
}

TEST_CASE("a coloured heatmap has backgrounds, reset at the end of each line", "[plot]") {
  const std::string deep = plot::terminal(two_by_three(), Colour::truecolor);
  const std::string few = plot::terminal(two_by_three(), Colour::ansi256);
  CHECK(has(deep, "   p \x1b[48;2;"));
  CHECK(has(few, "   p \x1b[48;5;233m  \x1b[48;5;"));
  CHECK(has(few, "\x1b[48;5;195m  \x1b[0m··\n"));
  for (const std::string& text : {deep, few}) {
    bool coloured = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\x1b') coloured = text.compare(i, 4, "\x1b[0m") != 0;
      if (text[i] == '\n') CHECK_FALSE(coloured);
    }
    CHECK_FALSE(has(text, "░"));
  }
}

TEST_CASE("a value beyond the range has the colour of its end", "[plot]") {
  const plot::Heatmap heatmap{"", "", "", {"", "", "", ""}, {""}, {-9, 0, 1, 9}};
  CHECK(has(plot::terminal(heatmap, Colour::none), "     ████\n"));
  CHECK(has(plot::terminal(heatmap, Colour::ansi256), "\x1b[48;5;233m    \x1b[48;5;195m    \x1b[0m\n"));
}

TEST_CASE("the colours of a heatmap get lighter with its values", "[plot]") {
  const auto luminance = [](int code) {  // luminance of an xterm colour, from the 6×6×6 cube or the greys
    const auto linear = [](int v) { return std::pow(v / 255.0, 2.2); };
    if (code >= 232) return linear(8 + 10 * (code - 232));
    const auto part = [](int v) { return v == 0 ? 0 : 55 + 40 * v; };
    const int c = code - 16;
    return 0.2126 * linear(part(c / 36)) + 0.7152 * linear(part(c / 6 % 6)) + 0.0722 * linear(part(c % 6));
  };
  plot::Heatmap heatmap{"", "", "", {}, {""}, {}};
  for (int i = 0; i <= 100; ++i) {
    heatmap.columns.emplace_back();
    heatmap.values.push_back(i / 100.0);
  }
  std::string text = plot::terminal(heatmap, Colour::ansi256);
  text.resize(text.find('\n'));
  const std::string start = "\x1b[48;5;";
  double last = -1;
  int changes = 0;
  for (std::size_t at = 0; (at = text.find(start, at)) != text.npos; ++changes) {
    at += start.size();
    const double now = luminance(std::stoi(text.substr(at)));
    CHECK(now > last);
    last = now;
  }
  CHECK(changes >= 8);
}

TEST_CASE("wide characters keep the columns aligned", "[plot]") {
  const plot::Heatmap heatmap{"", "", "", {"我", "喜欢", "e\u0301t"}, {"中文", "ab"}, {1, 1, 1, 1, 1, 1}};
  CHECK(plot::terminal(heatmap, Colour::none) ==
        "       喜e\u0301\n"
        "     我欢t\n"
        "中文 ██████\n"
        "  ab ██████\n"
        "\n"
        "     0     ░░░░▒▒▒▒▓▓▓▓████ 1\n");
}

TEST_CASE("long labels are truncated", "[plot]") {
  const plot::Heatmap heatmap{
      "", "", "", {"Donaudampfschiff"}, {"Donaudampfschifffahrt", "机器翻译机器翻译机"}, {1, 1}};
  const std::string text = plot::terminal(heatmap, Colour::none);
  CHECK(has(text, "Donaudampfschif… ██\n"));
  CHECK(has(text, " 机器翻译机器翻… ██\n"));
  CHECK(has(text, " s\n                 …\nDonau"));
}

TEST_CASE("labels cannot contain escape codes", "[plot]") {
  const plot::Heatmap heatmap{"\x1b[2J", "\x1b[2J", "a\nb\r", {"\x1b[2J"}, {"\x1b[2J\x07\xc2\x9b"}, {1}};
  const std::string text = plot::terminal(heatmap, Colour::none);
  for (const char* bad : {"\x1b", "\x07", "\r", "\xc2\x9b"}) CHECK_FALSE(has(text, bad));
  CHECK(has(text, "↓ a b "));
}

TEST_CASE("a heatmap wider than the terminal is split into blocks of columns", "[plot]") {
  const plot::Heatmap heatmap{"", "", "", {"a", "b", "c", "d", "e"}, {"r"}, {1, 1, 1, 1, 1}};
  CHECK(plot::terminal(heatmap, Colour::none, 6) ==
        "  a b\n"
        "r ████\n"
        "\n"
        "  c d\n"
        "r ████\n"
        "\n"
        "  e\n"
        "r ██\n"
        "\n"
        "  0     ░░░░▒▒▒▒▓▓▓▓████ 1\n");
  CHECK(has(plot::terminal(heatmap, Colour::none, 12), "r ██████████\n"));
  CHECK(has(plot::terminal(heatmap, Colour::none, 1), "r ██\n"));  // a width of 1 still shows one column
}

TEST_CASE("terminal() refuses the same heatmaps as svg()", "[plot]") {
  plot::Heatmap heatmap = two_by_three();
  heatmap.values.pop_back();
  CHECK_THROWS_AS(plot::terminal(heatmap, Colour::none), gradus::Error);
  try {
    plot::terminal(heatmap, Colour::none);
  } catch (const gradus::Error& error) {
    CHECK(has(error.what(),
              "plot::terminal(Heatmap 'map'): values has 5 elements, but 2 rows × 3 columns = 6"));
  }
}

TEST_CASE("colour follows NO_COLOR, TERM and COLORTERM", "[plot]") {
  CHECK(plot::choose_colour("", "xterm-256color", "truecolor") == Colour::truecolor);
  CHECK(plot::choose_colour("", "xterm-256color", "24bit") == Colour::truecolor);
  CHECK(plot::choose_colour("", "xterm-direct", "") == Colour::truecolor);
  CHECK(plot::choose_colour("", "xterm-256color", "") == Colour::ansi256);
  CHECK(plot::choose_colour("", "xterm", "") == Colour::ansi256);
  CHECK(plot::choose_colour("", "dumb", "truecolor") == Colour::none);
  CHECK(plot::choose_colour("", "vt100", "") == Colour::none);
  CHECK(plot::choose_colour("", "", "truecolor") == Colour::none);
  CHECK(plot::choose_colour("1", "xterm-256color", "truecolor") == Colour::none);
}

TEST_CASE("only a terminal has colours and a width", "[plot]") {
  const Variable no_color("NO_COLOR", nullptr), term("TERM", "xterm-256color"),
      colorterm("COLORTERM", "truecolor");
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  CHECK(plot::colour_of(ends[1]) == Colour::none);
  CHECK(plot::terminal_width(ends[1]) == 0);
  ::close(ends[0]);
  ::close(ends[1]);

  const int master = ::posix_openpt(O_RDWR | O_NOCTTY);
  REQUIRE(master >= 0);
  REQUIRE(::grantpt(master) == 0);
  REQUIRE(::unlockpt(master) == 0);
  const int terminal = ::open(::ptsname(master), O_RDWR | O_NOCTTY);
  REQUIRE(terminal >= 0);
  winsize size{};
  size.ws_col = 93;
  REQUIRE(::ioctl(terminal, TIOCSWINSZ, &size) == 0);
  CHECK(plot::terminal_width(terminal) == 93);
  CHECK(plot::colour_of(terminal) == Colour::truecolor);
  {
    const Variable quiet("NO_COLOR", "1");
    CHECK(plot::colour_of(terminal) == Colour::none);
  }
  {
    const Variable empty("NO_COLOR", "");
    CHECK(plot::colour_of(terminal) == Colour::truecolor);
  }
  ::close(terminal);
  ::close(master);
}
