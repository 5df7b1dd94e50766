#include <gradus/data/token_counts.hpp>
#include <gradus/data/tokeniser.hpp>
#include <gradus/data/utf8.hpp>
#include <gradus/error.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "catch.hpp"

using Catch::Matchers::Message;
using gradus::Error;
using namespace gradus::data;

namespace {

using Tokens = std::vector<std::string>;

// The tokens joined by bars.
std::string bars(const Tokeniser& tokeniser, std::string_view line) {
  std::string text;
  for (const std::string& token : tokeniser.split(line)) text.append(text.empty() ? "" : "|").append(token);
  return text;
}

const Tokeniser words, french({.french_spacing = true}), characters({.unit = TokenUnit::character}),
    chinese({.unit = TokenUnit::chinese}), as_written({.lower = false, .nfkc = false});

const std::vector<std::string_view> english_sentences = {
    "Go.",
    "He's calm.",
    "I'm home!",
    "Don't you think that's odd?",
    "That's an old wives' tale.",
    "If you can't lick 'em, join 'em.",
    "Join ’em in the boys’ club.",
    "\"When,\" she asked, \"does the 10:30 train leave?\" \"At 11, I think.\"",
    "It was 2,000 yen (about $15.50), 99.9% of what I had...",
    "The U.S. team arrived at 3 p.m.; it was -5 degrees.",
    "What?! A well-known snake_case name: [sic].",
    "“Yes,” he said.",
};

const std::vector<std::string_view> french_sentences = {
    "Va !",
    "Cours\u202f!",
    "Qu'est-ce que c'est ?",
    "L'homme qu'elle aime n'est pas d'ici, aujourd'hui.",
    "Il dit : « J’ai perdu ; et alors ?! »",
    "Elle est du genre que les hommes qualifient d'« éblouissante ».",
    "Où va-t-il\u00a0? À l'école, lorsqu'il peut...",
    "\"Combien ?\" \"1,5 million, jusqu'à 99%.\"",
};

const std::vector<std::string_view> chinese_sentences = {
    "嗨。",
    "你用跑的！",
    "汤姆说：“你好，再见！”",
    "我们3点30分在MIT见面，好吗？",
    "「这是谁的《红楼梦》？」「我的。」",
    "I love you是什么意思？",
};

}  // namespace

TEST_CASE("text is normalised", "[data][tokeniser]") {
  CHECK(words.normalise("  Il\u00a0fait \t BEAU\u202f!\u3000\n") == "il fait beau !");
  CHECK(words.normalise("cafe\u0301 \ufb01n １２") == "café fin 12");
  CHECK(words.normalise("\u200bÉTÉ\ufeff") == "été");
  CHECK(words.normalise("H\u0331") == "\u1e96");  // only the lower-case letter has a composed form
  CHECK(words.normalise(" \u2003 ").empty());
  CHECK(words.normalise("").empty());
  CHECK(as_written.normalise(" Cafe\u0301 \u00a0ＢＥＡＵ ") == "Cafe\u0301 ＢＥＡＵ");
  CHECK(Tokeniser({.lower = false}).normalise("Ｂeau") == "Beau");
  CHECK(Tokeniser({.nfkc = false}).normalise("Ｂeau") == "ｂeau");
  CHECK_THROWS_MATCHES(
      words.normalise("caf\xe9"), Error,
      Message("Tokeniser: byte 4 (0xe9) is not UTF-8; convert the text, for instance with iconv -t "
              "UTF-8"));
}

TEST_CASE("normalising twice is normalising once", "[data][tokeniser]") {
  std::u32string changed;
  for (char32_t c = 0; c < 0x20000; ++c) {
    if (0xd800 <= c && c < 0xe000) continue;  // skip surrogates
    const std::string once = words.normalise(encode_utf8(std::u32string{U'a', c, U'\u0301', U'B'}));
    if (words.normalise(once) != once) changed += c;
  }
  CHECK(changed.empty());
}

TEST_CASE("a long run of combining marks is sorted in little time", "[data][tokeniser]") {
  const auto repeated = [](std::u32string_view marks, int count) {
    std::u32string text;
    for (int i = 0; i < count; ++i) text += marks;
    return encode_utf8(text);
  };
  constexpr int many = 200'000;
  // The combining class of U+0323 is 220, and that of U+0301 is 230.
  CHECK(words.normalise("a" + repeated(U"\u0301\u0323", many)) ==
        "\u1ea1" + repeated(U"\u0323", many - 1) + repeated(U"\u0301", many));
  // U+0F73 and U+FF9E have the class 0, but decompose into marks of the classes 129, 130 and 8.
  CHECK(words.normalise("a" + repeated(U"\u0f73", many)) ==
        "a" + repeated(U"\u0f71", many) + repeated(U"\u0f72", many));
  CHECK(words.normalise("a" + repeated(U"\u0323\uff9e", many)) ==
        "\u1ea1" + repeated(U"\u3099", many) + repeated(U"\u0323", many - 1));
}

TEST_CASE("a line is split into words and marks", "[data][tokeniser]") {
  CHECK(bars(words, "Go.") == "go|.");
  CHECK(bars(words, "I lost, (really)!") == "i|lost|,|(|really|)|!");
  CHECK(bars(words, "He's calm; don't shout.") == "he's|calm|;|don't|shout|.");
  CHECK(bars(words, "boys' 'em o'clock ' rock'n'roll") == "boys'|'em|o'clock|'|rock'n'roll");
  CHECK(bars(words, "a well-known fact - really") == "a|well-known|fact|-|really");
  CHECK(bars(words, "At 10:30 p.m. it cost $2,000.50...") == "at|10:30|p.m|.|it|cost|$|2,000.50|.|.|.");
  CHECK(bars(words, "so:this and,that") == "so|:|this|and|,|that");
  CHECK(bars(words, "-5 3-5 a -b --5") == "-5|3-5|a|-|b|-|-|5");
  CHECK(bars(words, "snake_case C++ <unk>") == "snake_case|c|+|+|<|unk|>");
  CHECK(bars(words, "q\u0303uo va\u0303.") == "q\u0303uo|vã|.");  // q̃ has no composed form, ã has one
  CHECK(bars(words, "\u2764\ufe0fyou") == "\u2764\ufe0f|you");    // a heart and its variation selector
  CHECK(words.split(" \u00a0 ").empty());
  CHECK(words.split("").empty());
}

TEST_CASE("a French elision ends at its apostrophe", "[data][tokeniser]") {
  CHECK(bars(words, "L'homme qu'il a vu, c'est Jusqu'à l’été.") ==
        "l'|homme|qu'|il|a|vu|,|c'|est|jusqu'|à|l’|été|.");
  CHECK(bars(words, "aujourd'hui presqu'île s'il") == "aujourd'hui|presqu'île|s'|il");
  CHECK(bars(words, "do n't c'mon d'") == "do|n't|c'mon|d'");  // no split, because no vowel follows
  CHECK(bars(as_written, "D'Artagnan LORSQU'ELLE") == "D'|Artagnan|LORSQU'|ELLE");
}

TEST_CASE("text already separated by spaces is unchanged", "[data][tokeniser]") {
  for (const std::string line :
       {"3 17 22", "-3 0 41", "b aw1 t", "' c o u r s e", "he's calm .", "2024-05-17"}) {
    CHECK(bars(words, line) == [&line] {
      std::string barred = line;
      for (char& c : barred) c = c == ' ' ? '|' : c;
      return barred;
    }());
  }
  CHECK(bars(Tokeniser({.lower = false}), "B AW1 T") == "B|AW1|T");
}

TEST_CASE("a line is split into characters", "[data][tokeniser]") {
  CHECK(bars(characters, "Où es-tu ?") == "o|ù|▁|e|s|-|t|u|▁|?");
  CHECK(bars(characters, "你 好") == "你|▁|好");
  CHECK(characters.join(Tokens{"o", "ù", "▁", "?"}) == "où ?");
}

TEST_CASE("each Chinese character is a token", "[data][tokeniser]") {
  CHECK(bars(chinese, "你好，世界！") == "你|好|,|世|界|!");
  CHECK(bars(chinese, "我们3点30分在MIT见面。") == "我|们|3|点|30|分|在|mit|见|面|。");
  CHECK(bars(chinese, "𠀀〇々它's") == "𠀀|〇|々|它|'s");
  CHECK(bars(words, "你好，世界！") == "你好|,|世界|!");
}

TEST_CASE("tokens are joined with the right spaces", "[data][tokeniser]") {
  const Tokens tokens = {"\"", "¿",  "va", "(", "l'", "ami", ")", "\"", "dit", "-", "il", ":",
                         "«",  "15", "%",  "=", "$",  "3",   ";", "30", "$",   "!", "?",  "»"};
  CHECK(words.join(tokens) == "\"¿va (l'ami)\" dit - il: «15% = $3; 30 $!?»");
  CHECK(french.join(tokens) == "\"¿va (l'ami)\" dit - il : « 15% = $3 ; 30 $ !? »");
  CHECK(words.join(Tokens{"", "go", "", ".", ""}) == "go.");
  CHECK(words.join(Tokens{"<unk>", "is", "<unk>", "."}) == "<unk> is <unk>.");
  CHECK(words.join(Tokens{}).empty());
  CHECK_THROWS_MATCHES(
      words.join(Tokens{"a", "\xff"}), Error,
      Message("Tokeniser::join: byte 1 (0xff) is not UTF-8; convert the text, for instance with "
              "iconv -t UTF-8"));
}

TEST_CASE("ordinary sentences come back from their tokens", "[data][tokeniser]") {
  const auto check = [](const std::vector<std::string_view>& sentences, TokeniserOptions options) {
    for (const bool lower : {false, true}) {
      options.lower = lower;
      const Tokeniser plain(options);
      std::vector<Tokens> split;
      for (const std::string_view sentence : sentences) {
        split.push_back(plain.split(sentence));
        CHECK(plain.join(split.back()) == plain.normalise(sentence));
        const Tokeniser by_character({.unit = TokenUnit::character, .lower = lower});
        CHECK(by_character.join(by_character.split(sentence)) == by_character.normalise(sentence));
      }
      const Tokeniser pieces(options, BytePairEncoding::learn(count_tokens(split), 10));
      for (const std::string_view sentence : sentences) {
        CHECK(pieces.join(pieces.split(sentence)) == pieces.normalise(sentence));
      }
    }
  };
  check(english_sentences, {});
  check(french_sentences, {.french_spacing = true});
  check(chinese_sentences, {.unit = TokenUnit::chinese});
}

TEST_CASE("words are split into pieces", "[data][tokeniser]") {
  const auto bpe = BytePairEncoding::learn({{"low", 5}, {"newest", 6}, {"widest", 3}}, 6);
  const Tokeniser tokeniser({}, bpe);
  CHECK(bars(tokeniser, "Lowest, newest!") == "l@@|o@@|west|,|newest|!");
  CHECK(tokeniser.join(Tokens{"l@@", "o@@", "west", ",", "newest", "!"}) == "lowest, newest!");
  CHECK(tokeniser.join(Tokens{"new@@", "<unk>", "lo@@"}) ==
        "new<unk> lo");                                      // an incomplete last piece is kept
  CHECK(words.join(Tokens{"lo@@", "west"}) == "lo@@ west");  // without an encoding, @@ has no meaning
  CHECK(tokeniser.bpe() == bpe);
  CHECK_FALSE(words.bpe().has_value());
  CHECK(french.options() == TokeniserOptions{.french_spacing = true});
  CHECK_THROWS_MATCHES(
      Tokeniser({.unit = TokenUnit::character}, bpe), Error,
      Message("Tokeniser: a byte-pair encoding cannot split characters; omit it, or use TokenUnit::word"));
}
