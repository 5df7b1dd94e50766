#pragma once

#include <cstdint>

namespace gradus::data {

// part / whole; NaN for 0 / 0.
template <typename Part>
double ratio(Part part, std::int64_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace gradus::data
