#pragma once

#include <span>
#include <string>
#include <vector>

namespace gradus::data {

struct Spacing {
  bool french;  // a space before ! ? ; : and inside « »
  bool solid;   // none beside a Chinese character
};

// The text of words and marks, with spaces where they belong.
std::u32string write_spaced(std::span<const std::u32string> tokens, Spacing spacing);

}  // namespace gradus::data
