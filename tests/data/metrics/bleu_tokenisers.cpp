#include <gradus/data/bleu_tokenisers.hpp>
#include <gradus/error.hpp>

#include <string>
#include <string_view>

#include "catch.hpp"

using Catch::Matchers::Message;
using gradus::Error;
using gradus::data::BleuTokeniser;

namespace {

// The tokens joined by single spaces, the form that sacreBLEU returns.
std::string tokens(std::string_view line, BleuTokeniser tokeniser) {
  std::string joined;
  for (const std::string& token : gradus::data::bleu_tokens(line, tokeniser)) {
    if (!joined.empty()) joined += ' ';
    joined += token;
  }
  return joined;
}

std::string mteval(std::string_view line) { return tokens(line, BleuTokeniser::mteval_13a); }
std::string chinese(std::string_view line) { return tokens(line, BleuTokeniser::chinese); }

}  // namespace

TEST_CASE("13a separates punctuation, except inside numbers", "[data][bleu]") {
  CHECK(mteval("Hello, world!") == "Hello , world !");
  CHECK(mteval("It costs $1,234.56 (net).") == "It costs $ 1,234.56 ( net ) .");
  CHECK(mteval("pages 10-12, well-known") == "pages 10 - 12 , well-known");
  CHECK(mteval("it's 'so'") == "it's 'so'");
  CHECK(mteval("3. a.b .5 5,") == "3 . a . b . 5 5 ,");
  CHECK(mteval("wait... what") == "wait . . . what");
  CHECK(mteval("a/b {c} [d] ~e^ x=y") == "a / b { c } [ d ] ~ e ^ x = y");
  CHECK(mteval("«déjà», vu…") == "«déjà» , vu…");
}

TEST_CASE("13a decodes SGML entities", "[data][bleu]") {
  CHECK(mteval("a &quot;b&quot; &lt;c&gt; &amp; d") == "a \" b \" < c > & d");
  CHECK(mteval("&amp;lt;") == "<");  // mteval-v13a.pl decodes one entity after the other
  CHECK(mteval("one<skipped> two") == "one two");
  CHECK(mteval("hy-\nphen and\nline") == "hyphen and line");
}

TEST_CASE("each byte of an invalid character is a token of its own", "[data][bleu]") {
  for (const char* overlong_surrogate_large : {"\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80"}) {
    const std::string text = overlong_surrogate_large;
    CHECK(gradus::data::bleu_tokens(text, BleuTokeniser::characters).size() == text.size());
  }
}

TEST_CASE("none splits at Unicode's white space", "[data][bleu]") {
  CHECK(tokens("  a,  b\tc\u00a0d\u3000e\x1f"
               "f \n",
               BleuTokeniser::none) == "a, b c d e f");
  CHECK(tokens(" \u2028 ", BleuTokeniser::none).empty());
  CHECK(tokens("", BleuTokeniser::none).empty());
}

TEST_CASE("char makes every character a token", "[data][bleu]") {
  CHECK(tokens("Aé 中\u3000😀.", BleuTokeniser::characters) == "A é 中 😀 .");
}

TEST_CASE("zh separates Chinese characters and splits the rest as 13a", "[data][bleu]") {
  CHECK(chinese("我喜欢 deep learning.") == "我 喜 欢 deep learning .");
  CHECK(chinese(" .5 中") == ".5 中");  // zh, unlike 13a, adds no space before the text
  CHECK(chinese("他说:“你好,Tom!”") == "他 说 : “ 你 好 , Tom ! ”");
  CHECK(chinese("价格是3.5元,不是10-12元。") == "价 格 是 3.5 元 , 不 是 10 - 12 元 。");
  CHECK(chinese("\u3000&quot;中") == "& quot ; 中");  // zh does not decode SGML
}

TEST_CASE("zh has the ranges that sacreBLEU effectively uses", "[data][bleu]") {
  // The characters from U+2001 to U+2A6D count as Chinese. U+2001 is also a space, so it becomes a space.
  CHECK(chinese("a\u2001b") == "a b");
  CHECK(chinese("a\u2014b") == "a \u2014 b");
  CHECK(chinese("a\u2a6db") == "a \u2a6d b");
  CHECK(chinese("a\u2a6eb") == "a\u2a6eb");
  CHECK(chinese("𠀀𠀁") == "𠀀𠀁");  // Extension B does not count as Chinese
  CHECK(chinese("a\u9fbbb") == "a \u9fbb b");
  CHECK(chinese("a\u9fbcb") == "a\u9fbcb");
}

// The expected values were derived by hand from the regular expressions of mteval-v14.pl.
TEST_CASE("intl separates Unicode's punctuation and symbols, but not marks between digits", "[data][bleu]") {
  const auto intl = [](const std::string& line) { return tokens(line, BleuTokeniser::international); };
  CHECK(intl("Hello, world!") == "Hello , world !");
  CHECK(intl("1,000.5 km") == "1,000.5 km");
  CHECK(intl("in 1999.") == "in 1999.");  // a mark after a number stays if the text ends there
  CHECK(intl("in 1999. ") == "in 1999.");
  CHECK(intl("in 1999. Yes") == "in 1999 . Yes");
  CHECK(intl(".5") == ".5");
  CHECK(intl(" .5") == ". 5");  // the mark is separated because of the space before it
  CHECK(intl("«Ça va?» — 5€+2$") == "« Ça va ? » — 5 € + 2 $");
  CHECK(intl("它说：“你好”。") == "它说 ： “ 你好 ” 。");
  CHECK(intl("a..b") == "a . . b");
  CHECK(intl("&quot;") == "& quot ;");          // intl does not decode SGML
  CHECK(intl("½-cup x²,5") == "½ - cup x²,5");  // ½ and ² count as numbers
  CHECK(intl("").empty());
}

TEST_CASE("bytes that are not UTF-8 are kept", "[data][bleu]") {
  CHECK(mteval("a\xff, b") == "a\xff , b");
  // The bytes C0 and F5 never occur in UTF-8. So each byte of this text is a token.
  CHECK(tokens("\xc0\xaf\xf5\x80\x80\x80", BleuTokeniser::characters) == "\xc0 \xaf \xf5 \x80 \x80 \x80");
  CHECK(tokens("\xe4\xb8"
               "a\x85",
               BleuTokeniser::characters) == "\xe4 \xb8 a \x85");
  CHECK(tokens("a\xc3", BleuTokeniser::characters) == "a \xc3");
}

TEST_CASE("tokenisers have names", "[data][bleu]") {
  for (const std::string name : {"13a", "none", "char", "zh", "intl"}) {
    CHECK(bleu_tokeniser_name(gradus::data::bleu_tokeniser(name)) == name);
  }
  CHECK(gradus::data::bleu_tokeniser("char") == BleuTokeniser::characters);
  CHECK_THROWS_MATCHES(
      gradus::data::bleu_tokeniser("13b"), Error,
      Message("bleu_tokeniser: unknown tokeniser '13b'; available: 13a, none, char, zh, intl"));
}
