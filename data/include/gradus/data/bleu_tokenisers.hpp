#pragma once

#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::data {

/// The tokenisers of BLEU. Each gives the same tokens as the tokeniser of sacreBLEU whose name is in quotes
/// below (Post 2018, "A Call for Clarity in Reporting BLEU Scores").
enum class BleuTokeniser {
  mteval_13a,  ///< "13a", like WMT's mteval-v13a.pl: separates punctuation, except inside numbers
  none,        ///< "none": splits at white space; for tokenised text
  characters,  ///< "char": every character except white space is a token
  /// "zh": every Chinese character is a token; the rest is split as 13a does, but entities such as &quot; are
  /// not decoded
  chinese,
  /// "intl", like WMT's mteval-v14.pl: separates all Unicode symbols, and Unicode punctuation next to a
  /// character that is not a number
  international,
};

/// The tokeniser's name in a signature: "13a", "none", "char", "zh" or "intl".
std::string_view bleu_tokeniser_name(BleuTokeniser tokeniser);

/// The tokeniser with this name.
/// @throws gradus::Error for any other name.
BleuTokeniser bleu_tokeniser(std::string_view name);

/// The tokens of one line of UTF-8. White space is as in Python's str.split(). An invalid byte counts as a
/// character.
std::vector<std::string> bleu_tokens(std::string_view line, BleuTokeniser tokeniser);

}  // namespace gradus::data
#pragma GCC visibility pop
