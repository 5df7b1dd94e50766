#pragma once

#include <string>
#include <vector>

namespace gradus::models {

// "a, b, c"
inline std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace gradus::models
