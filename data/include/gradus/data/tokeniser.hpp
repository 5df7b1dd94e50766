#pragma once

#include <gradus/data/byte_pair_encoding.hpp>
#include <gradus/data/sentence_piece.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::data {

enum class TokenUnit {
  /// White space separates words; punctuation marks and symbols are separate tokens. Some marks stay in a
  /// word: an apostrophe next to a letter (`he's`, `boys'`), a hyphen or full stop between letters (`vas-tu`,
  /// `p.m`), a comma or colon between digits (`10:30`), a minus before a number. For an apostrophe, hyphen or
  /// full stop, a digit counts as a letter (`3.14`). Elided French words become separate tokens: `l' homme`,
  /// `qu' il`. Numbers and symbols separated by spaces, such as `-3 0 41`, stay unchanged.
  word,
  /// Every code point is a token; a space becomes `▁` (U+2581).
  character,
  /// As `word`, but in addition every Chinese character is a separate token.
  chinese,
};

struct TokeniserOptions {
  TokenUnit unit = TokenUnit::word;
  bool lower = true;            ///< lower-case by Unicode's rules, like Python's str.lower()
  bool nfkc = true;             ///< normalise Unicode to NFKC
  bool french_spacing = false;  ///< `join` writes « oui ! », not «oui!»

  bool operator==(const TokeniserOptions&) const = default;
};

/// Converts text to tokens and back. For ordinary sentences, `join(split(line))` equals `normalise(line)`.
class Tokeniser {
 public:
  /// @param bpe  splits the words into pieces, if given.
  /// @throws gradus::Error if `bpe` is given with the unit `character`.
  explicit Tokeniser(TokeniserOptions options = {}, std::optional<BytePairEncoding> bpe = {});

  /// A tokeniser that normalises and splits with a SentencePiece model. The options `lower` and `nfkc` are
  /// off, because the model has its own normalisation.
  explicit Tokeniser(SentencePiece pieces);

  const TokeniserOptions& options() const { return options_; }
  const std::optional<BytePairEncoding>& bpe() const { return bpe_; }
  const std::optional<SentencePiece>& sentence_piece() const { return pieces_; }

  /// The text that `split` splits: trimmed, with single spaces, in NFKC with the option `nfkc`, and in lower
  /// case with the option `lower`. With a SentencePiece model, which normalises inside `split`, the result is
  /// `join(split(text))` instead.
  /// @throws gradus::Error if the text is not UTF-8.
  std::string normalise(std::string_view text) const;

  /// The tokens of the normalised line.
  /// @throws gradus::Error if the line is not UTF-8.
  std::vector<std::string> split(std::string_view line) const;

  /// Detokenises: joins word pieces and inserts spaces. Omits the space before closing punctuation, after an
  /// opening bracket, `¿` or `¡`, directly inside quotation marks, after an elision, between a currency
  /// sign and its number and, for the unit `chinese`, beside Chinese characters and punctuation. The option
  /// `french_spacing` keeps some of these spaces. With the unit `character` or a SentencePiece model, the
  /// spaces come from `▁` instead.
  /// @throws gradus::Error if a token is not UTF-8.
  std::string join(std::span<const std::string> tokens) const;

  bool operator==(const Tokeniser&) const = default;

 private:
  TokeniserOptions options_;
  std::optional<BytePairEncoding> bpe_;
  std::optional<SentencePiece> pieces_;
};

}  // namespace gradus::data
#pragma GCC visibility pop
