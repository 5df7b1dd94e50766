#pragma once

#include <CLI/Error.hpp>
#include <string>
#include <string_view>

namespace gradus::tools {

/// The key that a configuration has but the app does not, from CLI11's error, which stores it only in its
/// text. Empty for another error.
inline std::string unknown_key(const CLI::Error& error) {
  constexpr std::string_view before = "INI was not able to parse ";
  const std::string text = error.what();
  return text.starts_with(before) ? text.substr(before.size()) : "";
}

}  // namespace gradus::tools
