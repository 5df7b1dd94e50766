#pragma once

#include <gradus/data/tokens.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::data {

/// The id of unknown tokens.
inline constexpr std::int64_t unk = first_symbol;

struct VocabularyOptions {
  std::int64_t min_count = 1;  ///< at least 1; tokens with fewer occurrences are dropped
  std::int64_t limit = 0;      ///< only the `limit` most frequent tokens are kept; 0 keeps all
};

/// Maps tokens to ids. The ids 0 to 3 are `<pad>`, `<bos>`, `<eos>` and `<unk>`; ordinary tokens follow.
class Vocabulary {
 public:
  /// Makes a vocabulary of the sentences' tokens. The most frequent tokens come first; equally frequent
  /// tokens are in byte order. Tokens spelled like a special token are dropped, so that id() returns `unk`
  /// for them.
  /// @throws gradus::Error if an option is out of range, no token remains, or the constructor would refuse a
  ///         token.
  static Vocabulary build(std::span<const std::vector<std::string>> sentences,
                          VocabularyOptions options = {});

  /// @param tokens  the ordinary tokens, in the order of their ids.
  /// @throws gradus::Error if a token is empty, has a line break, begins with a byte order mark, is not
  ///         UTF-8, is spelled like a special token, or occurs twice.
  explicit Vocabulary(std::vector<std::string> tokens);

  /// Reads a vocabulary written by `to_text`.
  /// @param source_name  the file's name, for messages.
  /// @throws gradus::Error as the constructor does, naming the line.
  static Vocabulary from_text(std::string_view text, std::string_view source_name);

  /// The ordinary tokens, one per line.
  std::string to_text() const;

  /// Number of ids: special and ordinary tokens.
  std::int64_t size() const { return std::ssize(tokens_); }

  /// True for an ordinary token of this vocabulary.
  bool contains(std::string_view token) const { return ids_.contains(token); }

  /// The id of a token; `unk` if the vocabulary does not contain the token.
  std::int64_t id(std::string_view token) const;

  /// The token with this id.
  /// @throws gradus::Error if the id is outside the vocabulary.
  const std::string& token(std::int64_t id) const;

  std::vector<std::int64_t> encode(std::span<const std::string> tokens) const;

  /// The tokens of ids, without PAD, BOS and EOS.
  /// @throws gradus::Error if an id is outside the vocabulary.
  std::vector<std::string> decode(std::span<const std::int64_t> ids) const;

  bool operator==(const Vocabulary& other) const { return tokens_ == other.tokens_; }

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  Vocabulary();
  // `where` is the prefix of error messages.
  void add(std::string_view where, std::string token);

  std::vector<std::string> tokens_;
  std::unordered_map<std::string, std::int64_t, Hash, std::equal_to<>> ids_;  // ids of the ordinary tokens
};

}  // namespace gradus::data
#pragma GCC visibility pop
