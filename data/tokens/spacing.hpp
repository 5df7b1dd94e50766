#pragma once

#include <span>
#include <string>
#include <vector>

namespace gradus::data {

struct Spacing {
  bool french;  // a space before ! ? ; : and inside « »
  bool solid;   // no space beside Chinese characters and punctuation
};

// Joins words and marks, with spaces as in Tokeniser::join().
std::u32string write_spaced(std::span<const std::u32string> tokens, Spacing spacing);

}  // namespace gradus::data
