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

/// The place of each token of `split(text)` in the text before normalisation. Each piece of a word has the
/// place of its own letters. std::nullopt for a space, and for a token that normalisation changed too much.
std::vector<std::optional<CharacterSpan>> spans_of(std::string_view text, std::span<const std::string> tokens,
                                                   const data::Tokeniser& tokeniser);

/// The place of each token in a text that contains the tokens in order, such as a detokenised translation.
/// std::nullopt for a token that is not found.
std::vector<std::optional<CharacterSpan>> spans_in(std::string_view text,
                                                   std::span<const std::string> tokens);

}  // namespace gradus::tools
