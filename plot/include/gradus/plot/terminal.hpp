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

/// Colour support of the file descriptor `fd`: none unless it is a terminal. For a terminal, applies
/// choose_colour() to the environment variables NO_COLOR, TERM and COLORTERM.
Colour colour_of(int fd);

/// The colours of a terminal. None if `no_color` is not empty, or if `term` is empty, "dumb" or begins with
/// "vt". Truecolor if `colorterm` is "truecolor" or "24bit", or if `term` ends in "-direct". Otherwise
/// ansi256.
Colour choose_colour(std::string_view no_color, std::string_view term, std::string_view colorterm);

/// The width of the terminal `fd` in columns; 0 if it is unknown, or if `fd` is not a terminal.
int terminal_width(int fd);

/// Draws `heatmap` as text, with one line per row and cells two characters wide.
///
/// Column labels are written downwards above the cells; long labels end in an ellipsis. Chinese, Japanese and
/// Korean characters take two columns. Without colour, a cell is one of the characters ` ░▒▓█`, written
/// twice. Each character stands for a fifth of [min, max]. NaN is `··`. If `width` is above 0 and the heatmap
/// is wider, it is split into blocks of columns, one below the other.
///
/// Throws Error for the heatmaps that svg(Heatmap) rejects.
std::string terminal(const Heatmap& heatmap, Colour colour, int width = 0);

}  // namespace gradus::plot
#pragma GCC visibility pop
