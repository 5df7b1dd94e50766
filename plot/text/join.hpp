#pragma once

#include <string>
#include <string_view>

namespace gradus::plot {

/// Concatenates the texts. Used instead of `literal + temporary`, for which g++ 12 falsely warns that memory
/// overlaps.
template <class... Texts>
std::string join(const Texts&... texts) {
  std::string out;
  (out.append(std::string_view(texts)), ...);
  return out;
}

}  // namespace gradus::plot
