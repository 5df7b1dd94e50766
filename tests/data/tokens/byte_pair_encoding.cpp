#include <gradus/data/byte_pair_encoding.hpp>
#include <gradus/error.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "catch.hpp"

using Catch::Matchers::Message;
using gradus::Error;
using gradus::data::BytePairEncoding;

namespace {

using Counts = std::map<std::string, std::int64_t>;
using Pieces = std::vector<std::string>;
using Merges = std::vector<std::pair<std::string, std::string>>;

// Algorithm 1 of Sennrich et al. 2016, written literally: it counts all pairs again for every merge.
class Reference {
 public:
  explicit Reference(const Counts& words) {
    for (const auto& [word, count] : words) words_.emplace_back(spell(word), count);
  }

  Merges learn(std::int64_t merges) {
    Merges learned;
    while (std::ssize(learned) < merges) {
      std::map<std::pair<std::string, std::string>, std::int64_t> pairs;
      for (const auto& [symbols, count] : words_) {
        for (std::size_t i = 1; i < symbols.size(); ++i) pairs[{symbols[i - 1], symbols[i]}] += count;
      }
      const auto best = std::max_element(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) {
        return std::tie(a.second, a.first) < std::tie(b.second, b.first);
      });
      if (best == pairs.end() || best->second < 2) break;
      learned.push_back(best->first);
      for (auto& [symbols, count] : words_) symbols = merged(symbols, best->first);
    }
    return learned;
  }

  // Splits a word by applying all merges in order.
  static Pieces split(const std::string& word, const Merges& merges) {
    Pieces symbols = spell(word);
    for (const auto& pair : merges) symbols = merged(symbols, pair);
    for (std::string& symbol : symbols) symbol += "@@";
    std::string& last = symbols.back();
    last.resize(last.size() - std::string("</w>@@").size());
    return symbols;
  }

 private:
  static Pieces spell(const std::string& ascii_word) {
    Pieces symbols;
    for (const char c : ascii_word) symbols.emplace_back(1, c);
    symbols.back() += "</w>";
    return symbols;
  }

  static Pieces merged(const Pieces& symbols, const std::pair<std::string, std::string>& pair) {
    Pieces result;
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      const bool found = i + 1 < symbols.size() && symbols[i] == pair.first && symbols[i + 1] == pair.second;
      result.push_back(found ? symbols[i] + symbols[i + 1] : symbols[i]);
      if (found) ++i;
    }
    return result;
  }

  std::vector<std::pair<Pieces, std::int64_t>> words_;
};

// Random words of few letters, so that pairs often overlap, repeat or tie.
Counts random_words(std::uint32_t seed, int words, std::uint32_t letters) {
  const auto next = [&seed] { return (seed = seed * 1664525 + 1013904223) >> 16; };
  Counts counts;
  for (int i = 0; i < words; ++i) {
    std::string word(1 + next() % 9, ' ');
    for (char& c : word) c = static_cast<char>('a' + next() % letters);
    counts[word] += 1 + next() % 5;
  }
  return counts;
}

const Counts paper = {{"low", 5}, {"lower", 2}, {"newest", 6}, {"widest", 3}};

}  // namespace

TEST_CASE("the most frequent pair is merged first, the last of equally frequent ones",
          "[data][byte-pair encoding]") {
  const auto bpe = BytePairEncoding::learn(paper, 10);
  // A tie: (e, s) and (s, t</w>) both occur 9 times.
  CHECK(bpe.merges() == Merges{{"s", "t</w>"},
                               {"e", "st</w>"},
                               {"l", "o"},
                               {"w", "est</w>"},
                               {"n", "e"},
                               {"ne", "west</w>"},
                               {"lo", "w</w>"},
                               {"w", "i"},
                               {"wi", "d"},
                               {"wid", "est</w>"}});
  CHECK(bpe.split("lowest") == Pieces{"lo@@", "west"});
  CHECK(bpe.split("low") == Pieces{"low"});
  CHECK(bpe.split("lowers") == Pieces{"lo@@", "w@@", "e@@", "r@@", "s"});
  CHECK(bpe.split("widest") == Pieces{"widest"});
}

TEST_CASE("characters may be non-ASCII or unknown", "[data][byte-pair encoding]") {
  const auto bpe = BytePairEncoding::learn({{"été", 3}, {"étang", 2}, {"你好", 2}}, 100);
  CHECK(bpe.split("été") == Pieces{"été"});
  CHECK(bpe.split("étés") == Pieces{"ét@@", "é@@", "s"});
  CHECK(bpe.split("你好") == Pieces{"你好"});
  CHECK(bpe.split("猫étang") == Pieces{"猫@@", "étang"});
  CHECK(bpe.split("ß") == Pieces{"ß"});
  CHECK(bpe.split("").empty());
}

TEST_CASE("learning and splitting agree with the plain algorithm", "[data][byte-pair encoding]") {
  for (const std::uint32_t letters : {1u, 2u, 3u, 8u}) {
    for (std::uint32_t seed = 1; seed <= 8; ++seed) {
      const Counts words = random_words(seed, 60, letters);
      const Merges expected = Reference(words).learn(80);
      const auto bpe = BytePairEncoding::learn(words, 80);
      INFO("letters " << letters << ", seed " << seed);
      CHECK(bpe.merges() == expected);
      for (const auto& [word, count] : random_words(seed + 100, 60, letters + 1)) {
        CHECK(bpe.split(word) == Reference::split(word, expected));
      }
    }
  }
}

TEST_CASE("a long word is split in little time", "[data][byte-pair encoding]") {
  std::string merges = "#version: 0.2\n";
  for (char left = 'a'; left <= 'z'; ++left) {
    for (char right = 'a'; right <= 'z'; ++right) merges += std::string{left, ' ', right, '\n'};
  }
  std::string word;
  std::uint32_t random = 1;
  for (int i = 0; i < 1'000'000; ++i) {
    random = random * 1664525 + 1013904223;
    word += static_cast<char>('a' + (random >> 24) % 26);
  }
  std::string joined;
  for (const std::string& piece : BytePairEncoding::from_text(merges, "codes").split(word)) {
    joined += piece.ends_with("@@") ? piece.substr(0, piece.size() - 2) : piece;
  }
  CHECK((joined == word));
}

TEST_CASE("learning ends when no pair occurs twice", "[data][byte-pair encoding]") {
  CHECK(BytePairEncoding::learn({{"abc", 1}}, 5).merges().empty());
  CHECK(BytePairEncoding::learn({{"abc", 2}}, 5).merges() == Merges{{"b", "c</w>"}, {"a", "bc</w>"}});
  CHECK(BytePairEncoding::learn({{"abc", 2}}, 1).merges() == Merges{{"b", "c</w>"}});
  CHECK(BytePairEncoding::learn({}, 5).merges().empty());
}

TEST_CASE("merges round-trip through subword-nmt's file format", "[data][byte-pair encoding]") {
  const auto bpe = BytePairEncoding::learn(paper, 3);
  CHECK(bpe.to_text() == "#version: 0.2\ns t</w>\ne st</w>\nl o\n");
  CHECK(BytePairEncoding::from_text(bpe.to_text(), "codes") == bpe);
  CHECK(BytePairEncoding::from_text("\xef\xbb\xbf#version: 0.2\r\ns t</w>\r\ne st</w>\r\nl o", "codes") ==
        bpe);
  CHECK(BytePairEncoding::from_text("#version: 0.2\n", "codes").split("low") == Pieces{"l@@", "o@@", "w"});
  CHECK_FALSE(BytePairEncoding::learn(paper, 2) == bpe);
}

TEST_CASE("merges are applied in the order learned", "[data][byte-pair encoding]") {
  const auto bpe = BytePairEncoding::from_text("#version: 0.2\nb c\na b\na bc\n", "codes");
  CHECK(bpe.split("abcd") == Pieces{"abc@@", "d"});
  CHECK(bpe.split("abd") == Pieces{"ab@@", "d"});
}

TEST_CASE("a malformed file of merges is refused", "[data][byte-pair encoding]") {
  const auto read = [](const std::string& text) { return BytePairEncoding::from_text(text, "codes"); };
  const std::string form = "; write two symbols separated by a space";
  for (const std::string text : {"", "a b\n", "#version: 0.1\na b\n"}) {
    CHECK_THROWS_MATCHES(read(text), Error,
                         Message("BytePairEncoding::from_text: 'codes' line 1: expected '#version: 0.2'; "
                                 "give a file of merges written by subword-nmt or to_text"));
  }
  for (const std::string line : {"", "ab", "a ", " b", "a  b", "a b c", "a b\tc", "a\r b"}) {
    CHECK_THROWS_MATCHES(
        read("#version: 0.2\ns t</w>\n" + line + "\n"), Error,
        Message("BytePairEncoding::from_text: 'codes' line 3: '" + line + "' is not a merge" + form));
  }
  CHECK_THROWS_MATCHES(
      read("#version: 0.2\na b\nc d\na b\n"), Error,
      Message("BytePairEncoding::from_text: 'codes' line 4: the merge 'a b' occurs twice; remove one"));
  CHECK_THROWS_MATCHES(
      read("#version: 0.2\na \xff\n"), Error,
      Message("BytePairEncoding::from_text: 'codes' line 2: byte 3 (0xff) is not UTF-8; convert the "
              "text, for instance with iconv -t UTF-8"));
}

TEST_CASE("invalid words and counts are refused", "[data][byte-pair encoding]") {
  using Bpe = BytePairEncoding;
  CHECK_THROWS_MATCHES(
      Bpe::learn(paper, 0), Error,
      Message("BytePairEncoding::learn: merges is 0, but must be at least 1; a few thousand are usual"));
  CHECK_THROWS_MATCHES(Bpe::learn({{"", 1}}, 1), Error,
                       Message("BytePairEncoding::learn: a word is empty; remove it"));
  CHECK_THROWS_MATCHES(
      Bpe::learn({{"a b", 1}}, 1), Error,
      Message("BytePairEncoding::learn: the word 'a b' has white space; split the text into words "
              "first"));
  CHECK_THROWS_MATCHES(Bpe::learn({{"a", 0}}, 1), Error,
                       Message("BytePairEncoding::learn: the word 'a' has count 0; remove it"));
  CHECK_THROWS_MATCHES(
      Bpe::learn({{"a\xff", 1}}, 1), Error,
      Message("BytePairEncoding::learn: byte 2 (0xff) is not UTF-8; convert the text, for instance "
              "with iconv -t UTF-8"));
  CHECK_THROWS_MATCHES(
      Bpe::learn(paper, 1).split("\xff"), Error,
      Message("BytePairEncoding::split: byte 1 (0xff) is not UTF-8; convert the text, for instance "
              "with iconv -t UTF-8"));
}
