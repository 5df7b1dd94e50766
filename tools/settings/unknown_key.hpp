#pragma once

#include <CLI/Error.hpp>
#include <string>
#include <string_view>

namespace gradus::tools {

/// The key of a configuration that the app does not define, taken from the text of CLI11's error, which does
/// not store it separately. Empty for other errors.
inline std::string unknown_key(const CLI::Error& error) {
  constexpr std::string_view before = "INI was not able to parse ";
  const std::string text = error.what();
  return text.starts_with(before) ? text.substr(before.size()) : "";
}

}  // namespace gradus::tools
