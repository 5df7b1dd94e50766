#pragma once

#include <gradus/data/byte_pair_encoding.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::data {

/// What a token is.
enum class TokenUnit {
  /// White space, of any kind, separates words; punctuation marks and symbols are tokens of their own. Inside
  /// a word stay an apostrophe that touches a letter (`he's`, `boys'`), a hyphen and a full stop between
  /// letters (`vas-tu`, `p.m`), a comma and a colon between digits (`10:30`), a minus before a number. What
  /// French elides before a vowel ends after its apostrophe: `l' homme`, `qu' il`. Words and numbers that
  /// spaces already separate come through as they are.
  word,
  /// Every code point; for a space, `▁` (U+2581).
  character,
  /// As `word`, but every Chinese character is a token.
  chinese,
};

struct TokeniserOptions {
  TokenUnit unit = TokenUnit::word;
  bool lower = true;            ///< lower case, character by character
  bool nfkc = true;             ///< Unicode's form NFKC: one way to write what reads the same
  bool french_spacing = false;  ///< `join` writes « oui ! », not «oui!»

  bool operator==(const TokeniserOptions&) const = default;
};

/// Text to tokens, and back. Of ordinary sentences, `join(split(line)) == normalise(line)`.
class Tokeniser {
 public:
  /// \param bpe  splits the words further.
  /// \throws gradus::Error if there is one, but the unit is the character.
  explicit Tokeniser(TokeniserOptions options = {}, std::optional<BytePairEncoding> bpe = {});

  const TokeniserOptions& options() const { return options_; }
  const std::optional<BytePairEncoding>& bpe() const { return bpe_; }

  /// The text that `split` splits: NFKC, in lower case, with single spaces between words and none around
  /// them.
  /// \throws gradus::Error if the text is not UTF-8.
  std::string normalise(std::string_view text) const;

  /// The tokens of a line, which is normalised first.
  /// \throws gradus::Error if it is not UTF-8.
  std::vector<std::string> split(std::string_view line) const;

  /// The text of tokens. Spaces are where they belong in most languages: none before `, . ! ? ; : % ) ]`,
  /// after `( [ ¿`, inside quotation marks, after an elision, between a currency sign and its number, nor, of
  /// the unit `chinese`, beside a Chinese character. Pieces of words come together.
  /// \throws gradus::Error if a token is not UTF-8.
  std::string join(std::span<const std::string> tokens) const;

 private:
  TokeniserOptions options_;
  std::optional<BytePairEncoding> bpe_;
};

}  // namespace gradus::data
#pragma GCC visibility pop
