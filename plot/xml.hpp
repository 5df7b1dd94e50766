#pragma once

#include <string>
#include <string_view>

namespace gradus::plot {

/// The text for use in XML or HTML, between tags or in a double-quoted attribute. What XML cannot carry at
/// all (control characters, bytes that are not UTF-8) becomes U+FFFD.
std::string escape(std::string_view text);

}  // namespace gradus::plot
