#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gradus::nn {

// A name as shown in messages.
inline std::string in_quotes(std::string_view name) { return std::string("'").append(name).append("'"); }

// At most three names: "a, b, c and 4 more". The list is cut because another model's state may differ in
// every name.
inline std::string first_names(const std::vector<std::string>& names, std::string_view separator = ", ") {
  constexpr std::size_t most = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) {
    text.append(i == 0 ? "" : separator).append(names[i]);
  }
  return names.size() <= most ? text : text + " and " + std::to_string(names.size() - most) + " more";
}

}  // namespace gradus::nn
