#pragma once

#include <span>
#include <string>
#include <string_view>

namespace gradus::tools {

/// The name nearest to a mistyped one, at an edit distance of at most 2 and less than half the length of
/// `given`. Empty if there is none.
std::string nearest(std::string_view given, std::span<const std::string> names);

}  // namespace gradus::tools
