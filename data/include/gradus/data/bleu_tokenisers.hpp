#pragma once

#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::data {

/// How BLEU cuts a line into tokens; each does what sacreBLEU's tokeniser of that name does (Post 2018,
/// "A Call for Clarity in Reporting BLEU Scores").
enum class BleuTokeniser {
  mteval_13a,  ///< "13a": mteval-v13a.pl, the one of WMT: punctuation apart, except inside numbers
  none,        ///< "none": at white space; for text that is tokenised already
  characters,  ///< "char": every character is a token, white space is none
  chinese,     ///< "zh": every Chinese character is a token, the rest as 13a does
};

/// What a signature calls it: "13a", "none", "char" or "zh".
std::string_view bleu_tokeniser_name(BleuTokeniser tokeniser);

/// The tokeniser of that name.
/// \throws gradus::Error for any other name.
BleuTokeniser bleu_tokeniser(std::string_view name);

/// The tokens of one line of UTF-8. White space is Unicode's; a byte that is no UTF-8 counts as a character.
std::vector<std::string> bleu_tokens(std::string_view line, BleuTokeniser tokeniser);

}  // namespace gradus::data
#pragma GCC visibility pop
