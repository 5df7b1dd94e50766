#pragma once

#include <gradus/plot/heatmap.hpp>

#include <string>
#include <string_view>

#pragma GCC visibility push(default)
namespace gradus::plot {

/// The colours that a stream can show.
enum class Colour {
  none,       ///< no escape codes at all
  ansi256,    ///< the 256 colours of xterm
  truecolor,  ///< 24 bits
};

/// What the stream behind the file descriptor `fd` can show: none unless it is a terminal, then as
/// choose_colour says of the environment variables NO_COLOR, TERM and COLORTERM.
Colour colour_of(int fd);

/// The rule for a terminal: none if `no_color` is not empty, or `term` is empty, "dumb" or a vt100's kin;
/// truecolor if `colorterm` is "truecolor" or "24bit", or `term` ends in "-direct"; else ansi256.
Colour choose_colour(std::string_view no_color, std::string_view term, std::string_view colorterm);

/// The columns of the terminal behind `fd`; 0 if it is none or does not say.
int terminal_width(int fd);

/// Draws `heatmap` as text: a line a row, a cell two characters wide.
///
/// Column labels stand above the cells, written downwards; labels too long are
/// shortened with an ellipsis. Chinese, Japanese and Korean characters count two columns. Without colour a
/// cell is one of ` ░▒▓█`, twice, each standing for a fifth of [min, max]; NaN is `··`. If `width` is above 0
/// and the heatmap is wider, it is cut into blocks of columns, one below the other.
///
/// Throws what svg(Heatmap) throws.
std::string terminal(const Heatmap& heatmap, Colour colour, int width = 0);

}  // namespace gradus::plot
#pragma GCC visibility pop
