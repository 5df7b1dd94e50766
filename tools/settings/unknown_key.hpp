#pragma once

#include <CLI/Error.hpp>
#include <string>
#include <string_view>

namespace gradus::tools {

inline constexpr std::string_view before_unknown_key = "INI was not able to parse ";

/// True if the error reports a key of a configuration file that the app does not define.
inline bool is_unknown_key(const CLI::Error& error) {
  return std::string_view(error.what()).starts_with(before_unknown_key);
}

/// The unknown key. It is taken from the text of CLI11's error, which does not store it separately. Empty for
/// other errors, and for a line without a key.
inline std::string unknown_key(const CLI::Error& error) {
  return is_unknown_key(error) ? std::string(error.what()).substr(before_unknown_key.size()) : "";
}

}  // namespace gradus::tools
