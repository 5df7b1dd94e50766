#pragma once

#include <string>
#include <string_view>

namespace gradus::plot {

/// Escapes text for XML or HTML, between tags or in a double-quoted attribute. Bytes that are not UTF-8,
/// U+FFFE, U+FFFF, and control characters below U+0020 other than tab and line feed become U+FFFD.
std::string escape(std::string_view text);

}  // namespace gradus::plot
