#pragma once

#include <span>
#include <string>
#include <string_view>

namespace gradus::tools {

/// The name nearest to a mistyped one: at most two edits, and fewer than half its length. Empty if none is
/// that near.
std::string nearest(std::string_view given, std::span<const std::string> names);

}  // namespace gradus::tools
