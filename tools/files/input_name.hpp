#pragma once

#include <string>

namespace gradus::tools {

/// The name of an input in messages: "standard input" for "-" or an empty name, otherwise the name in quotes.
inline std::string input_name(const std::string& name) {
  return name.empty() || name == "-" ? "standard input" : "'" + name + "'";
}

}  // namespace gradus::tools
