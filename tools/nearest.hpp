#pragma once

#include <span>
#include <string>
#include <string_view>

namespace gradus::tools {

/// The name that was most likely meant: at most two letters added, left out or changed, and fewer than half
/// of them. Empty when there is none.
std::string nearest(std::string_view given, std::span<const std::string> names);

}  // namespace gradus::tools
