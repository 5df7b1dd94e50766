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

/// The id of every token that a vocabulary does not hold.
inline constexpr std::int64_t unk = first_symbol;

struct VocabularyOptions {
  std::int64_t min_count = 1;  ///< tokens that occur less often are left out, at least 1
  std::int64_t limit = 0;      ///< keeps this many of the most frequent; 0 keeps all
};

/// Tokens and their ids: 0 to 3 are `<pad>`, `<bos>`, `<eos>` and `<unk>`, the ordinary tokens follow.
class Vocabulary {
 public:
  /// The tokens of some sentences, the most frequent first, equally frequent ones in the order of their
  /// bytes. The names of the special ones, where they occur, are left out, and so stand for an unknown token.
  /// \throws gradus::Error if an option is out of range, no token remains, or one cannot be a line of a file.
  static Vocabulary build(std::span<const std::vector<std::string>> sentences,
                          VocabularyOptions options = {});

  /// \param tokens  the ordinary ones, in the order of their ids.
  /// \throws gradus::Error if a token is empty, has a line break, begins with a byte order mark, is not
  /// UTF-8,
  ///         has the name of a special one, or is there twice.
  explicit Vocabulary(std::vector<std::string> tokens);

  /// The vocabulary of a text that `to_text` wrote.
  /// \param source_name  of the file, for messages.
  /// \throws gradus::Error as the constructor does, naming the line.
  static Vocabulary from_text(std::string_view text, std::string_view source_name);

  /// The ordinary tokens, one a line.
  std::string to_text() const;

  /// Special and ordinary tokens together: ids run from 0 to here, exclusive.
  std::int64_t size() const { return std::ssize(tokens_); }

  /// Whether it is an ordinary token of this vocabulary.
  bool contains(std::string_view token) const { return ids_.contains(token); }

  /// `unk` for what is not contained.
  std::int64_t id(std::string_view token) const;

  /// \throws gradus::Error if the id is outside the vocabulary.
  const std::string& token(std::int64_t id) const;

  std::vector<std::int64_t> encode(std::span<const std::string> tokens) const;

  /// The tokens of ids, without PAD, BOS and EOS.
  /// \throws gradus::Error if an id is outside the vocabulary.
  std::vector<std::string> decode(std::span<const std::int64_t> ids) const;

  bool operator==(const Vocabulary& other) const { return tokens_ == other.tokens_; }

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  Vocabulary();
  // `where` begins the message if it cannot be added.
  void add(std::string_view where, std::string token);

  std::vector<std::string> tokens_;
  std::unordered_map<std::string, std::int64_t, Hash, std::equal_to<>> ids_;  // of the ordinary ones
};

}  // namespace gradus::data
#pragma GCC visibility pop
