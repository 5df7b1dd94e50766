#pragma once

#include <string>
#include <string_view>

namespace gradus::plot {

/// Concatenates the texts. Replaces the operator +, because g++ 12 falsely warns of an overlap for a literal
/// followed by a temporary.
template <class... Texts>
std::string join(const Texts&... texts) {
  std::string out;
  (out.append(std::string_view(texts)), ...);
  return out;
}

}  // namespace gradus::plot
