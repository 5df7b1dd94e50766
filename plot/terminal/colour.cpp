#include <gradus/plot/terminal.hpp>

#include <cstdlib>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

namespace gradus::plot {
namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

Colour choose_colour(std::string_view no_color, std::string_view term, std::string_view colorterm) {
  if (!no_color.empty() || term.empty() || term == "dumb" || term.starts_with("vt")) return Colour::none;
  if (colorterm == "truecolor" || colorterm == "24bit" || term.ends_with("-direct")) return Colour::truecolor;
  return Colour::ansi256;
}

Colour colour_of(int fd) {
  if (!::isatty(fd)) return Colour::none;
  return choose_colour(environment("NO_COLOR"), environment("TERM"), environment("COLORTERM"));
}

int terminal_width([[maybe_unused]] int fd) {
#if defined(TIOCGWINSZ)  // not defined in WASI, which has no terminals
  winsize size{};
  return ::isatty(fd) && ::ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
#else
  return 0;
#endif
}

}  // namespace gradus::plot
