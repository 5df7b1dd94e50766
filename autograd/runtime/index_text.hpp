#pragma once

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

namespace gradus {

/// The index as text: "[1, 2]".
inline std::string index_text(const std::vector<std::int64_t>& index) {
  std::ostringstream text;
  for (std::size_t axis = 0; axis < index.size(); ++axis) text << (axis > 0 ? ", " : "[") << index[axis];
  return index.empty() ? "[]" : text.str() + ']';
}

}  // namespace gradus
