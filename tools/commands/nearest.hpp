#pragma once

#include <span>
#include <string>
#include <string_view>

namespace gradus::tools {

/// The name with the smallest edit distance to `given`, a mistyped name. The distance must be at most 2 and
/// less than half the length of `given`. Empty if no name qualifies.
std::string nearest(std::string_view given, std::span<const std::string> names);

}  // namespace gradus::tools
