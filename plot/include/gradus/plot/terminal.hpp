#pragma once

#include <gradus/plot/heatmap.hpp>

#include <string>
#include <string_view>

#pragma GCC visibility push(default)
namespace gradus::plot {

/// Colour support of a stream.
enum class Colour {
  none,       ///< no escape codes
  ansi256,    ///< the 256 colours of xterm
  truecolor,  ///< 24 bits
};

/// Colour support of the file descriptor `fd`: none unless it is a terminal, otherwise choose_colour() of the
/// environment variables NO_COLOR, TERM and COLORTERM.
Colour colour_of(int fd);

/// The rule for a terminal: none if `no_color` is not empty, or `term` is empty, "dumb" or starts with "vt";
/// truecolor if `colorterm` is "truecolor" or "24bit", or `term` ends in "-direct"; else ansi256.
Colour choose_colour(std::string_view no_color, std::string_view term, std::string_view colorterm);

/// The width in columns of the terminal `fd`; 0 if unknown or not a terminal.
int terminal_width(int fd);

/// Draws `heatmap` as text: one line per row, cells two characters wide.
///
/// Column labels are written downwards above the cells; long labels are truncated with an ellipsis. Chinese,
/// Japanese and Korean characters take two columns. Without colour, a cell is one of the characters ` ░▒▓█`,
/// written twice. Each stands for a fifth of [min, max]; NaN is `··`. A heatmap wider than `width` (if above
/// 0) is split into blocks of columns, one below the other.
///
/// Throws Error for the heatmaps that svg(Heatmap) rejects.
std::string terminal(const Heatmap& heatmap, Colour colour, int width = 0);

}  // namespace gradus::plot
#pragma GCC visibility pop
