#pragma once

#include <gradus/data/tokeniser.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gradus::tools {

/// Code points [begin, end) of a text, counted from 0.
struct CharacterSpan {
  std::int64_t begin, end;
  bool operator==(const CharacterSpan&) const = default;
};

/// Where each token of `split(text)` is in the text before normalisation. Empty for a token that is not a
/// whole piece of the text, such as those of byte-pair encoding.
std::vector<std::optional<CharacterSpan>> spans_of(std::string_view text, std::span<const std::string> tokens,
                                                   const data::Tokeniser& tokeniser);

/// Where each token is in a text that contains them in order, such as a detokenised translation.
std::vector<std::optional<CharacterSpan>> spans_in(std::string_view text,
                                                   std::span<const std::string> tokens);

}  // namespace gradus::tools
