#include "tokens/words.hpp"

#include <algorithm>
#include <array>

#include "text/character_class.hpp"

namespace gradus::data {
namespace {

class Splitter {
 public:
  Splitter(std::u32string_view line, bool han_apart) : line_(line), han_apart_(han_apart) {}

  std::vector<std::u32string> split() {
    bool touches = false;  // true if the last token ends right before i
    bool grows = false;    // true if the last token can be extended
    for (std::size_t i = 0; i < line_.size(); ++i) {
      if (is_space(line_[i])) {
        touches = grows = false;
      } else if (is_extension(line_[i]) && touches) {
        tokens_.back() += line_[i];
      } else {
        const bool inside = in_word(i);
        if (!inside || !grows) tokens_.emplace_back();
        tokens_.back() += line_[i];
        touches = true;
        grows = inside && !(is_elision(tokens_.back()) && vowel_at(i + 1));
      }
    }
    return std::move(tokens_);
  }

 private:
  // True if the character at i belongs to a word. Call this only if the character is not white space.
  bool in_word(std::size_t i) const {
    if (letter_at(i)) return true;
    const bool after_letter = i > 0 && letter_at(i - 1), before_letter = letter_at(i + 1);
    if (is_apostrophe(line_[i])) return after_letter || before_letter;
    switch (line_[i]) {
      case U'-':
        if (digit_at(i + 1) && starts(i)) return true;  // a minus
        [[fallthrough]];
      case U'\u2010':
      case U'.':
        return after_letter && before_letter;
      case U',':
      case U':':
        return i > 0 && digit_at(i - 1) && digit_at(i + 1);
      default:
        return false;
    }
  }

  bool starts(std::size_t i) const { return i == 0 || is_space(line_[i - 1]); }

  bool letter_at(std::size_t i) const {
    return i < line_.size() && !is_space(line_[i]) && !is_mark(line_[i]) && !(han_apart_ && is_han(line_[i]));
  }

  bool digit_at(std::size_t i) const { return i < line_.size() && is_digit(line_[i]); }

  bool vowel_at(std::size_t i) const {
    constexpr std::u32string_view vowels = U"aeiouyhàâäæéèêëîïôöœùûü";
    return i < line_.size() && vowels.find(to_lower(line_[i])) != std::u32string_view::npos;
  }

  std::u32string_view line_;
  bool han_apart_;
  std::vector<std::u32string> tokens_;
};

}  // namespace

std::vector<std::u32string> split_words(std::u32string_view line, bool han_apart) {
  return Splitter(line, han_apart).split();
}

bool is_elision(std::u32string_view token) {
  constexpr std::array<std::u32string_view, 13> elided = {
      U"c", U"d", U"j", U"l", U"m", U"n", U"s", U"t", U"qu", U"jusqu", U"lorsqu", U"puisqu", U"quoiqu"};
  if (token.empty() || !is_apostrophe(token.back())) return false;
  std::u32string word(token.substr(0, token.size() - 1));
  std::ranges::transform(word, word.begin(), to_lower);
  return std::ranges::count(elided, word) > 0;
}

}  // namespace gradus::data
