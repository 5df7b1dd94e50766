#pragma once

#include <gradus/data/tasks.hpp>
#include <gradus/data/tokens.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gradus::web {

/// The tokens of a task, or of one language of a phrase set. The sources and targets of a task share them.
/// The ids follow data::Vocabulary: 0 to 3 are <pad>, <bos>, <eos> and <unk>. Dates are split into
/// characters, with ▁ for a space. Other tasks are split at spaces and commas. If all of a task's numbers
/// have one digit, they may also be written without spaces.
class Symbols {
 public:
  /// After the four special tokens come the numbers below `options.symbols`, or for dates, every character
  /// that can occur in a date.
  Symbols(std::string_view task, const data::TaskOptions& options);
  using Encode = std::function<std::vector<std::int64_t>(std::string_view text)>;
  /// @param tokens  all tokens in the order of their ids, including the special ones
  /// @param encode  throws an Error as encode() does
  Symbols(std::vector<std::string> tokens, Encode encode);

  std::int64_t size() const { return std::ssize(tokens_); }
  const std::string& token(std::int64_t id) const { return tokens_.at(static_cast<std::size_t>(id)); }
  bool by_character() const { return by_character_; }

  /// The ids of a text. Dates may have capital letters. @throws Error naming the first unknown token; also if
  /// `text` has no tokens.
  std::vector<std::int64_t> encode(std::string_view text) const;
  /// The text of a sequence. Stops at the first EOS.
  std::string text(std::span<const std::int64_t> ids) const;
  /// The ordinary tokens, one per line, as data::Vocabulary::to_text() writes them.
  std::string lines() const;

 private:
  std::string listed() const;  // for messages

  std::vector<std::string> tokens_;  // index: the id
  bool by_character_ = false;
  Encode encode_;
};

}  // namespace gradus::web
