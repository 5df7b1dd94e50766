#pragma once

#include <string>
#include <string_view>

namespace gradus::plot {

/// The texts, one after the other. (A chain of + that begins with a literal and a temporary makes g++ 12 warn
/// of an overlap that there is not.)
template <class... Texts>
std::string join(const Texts&... texts) {
  std::string out;
  (out.append(std::string_view(texts)), ...);
  return out;
}

}  // namespace gradus::plot
