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

/// Colour support of the file descriptor `fd`: none if `fd` is not a terminal. Otherwise the result of
/// choose_colour() for the environment variables NO_COLOR, TERM and COLORTERM.
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
/// twice. The five characters stand for the fifths of [min, max], in this order. NaN is `··`. A heatmap of
/// more than `width` terminal columns is split into blocks of cell columns, one below the other. If `width`
/// is 0, nothing is split.
///
/// Throws Error for the heatmaps that svg(Heatmap) rejects.
std::string terminal(const Heatmap& heatmap, Colour colour, int width = 0);

}  // namespace gradus::plot
#pragma GCC visibility pop
