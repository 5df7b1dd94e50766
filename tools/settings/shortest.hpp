#pragma once

#include <array>
#include <charconv>
#include <string>

namespace gradus::tools {

/// The value as text, with the fewest digits that round-trip.
template <class Real>
std::string shortest(Real value) {
  std::array<char, 32> digits{};
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr};
}

}  // namespace gradus::tools
