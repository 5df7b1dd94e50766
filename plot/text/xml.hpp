#pragma once

#include <string>
#include <string_view>

namespace gradus::plot {

/// Escapes text for XML or HTML, between tags or in a double-quoted attribute. Characters that XML forbids
/// (control characters, bytes that are not UTF-8) become U+FFFD.
std::string escape(std::string_view text);

}  // namespace gradus::plot
