#include <gradus/data/token_counts.hpp>
#include <gradus/data/vocabulary.hpp>
#include <gradus/error.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "catch.hpp"

using Catch::Matchers::Message;
using gradus::Error;
using namespace gradus::data;

namespace {

using Ids = std::vector<std::int64_t>;
using Tokens = std::vector<std::string>;

const std::vector<Tokens> sentences = {
    {"il", "fait", "beau", "."}, {"il", "est", "là", "."}, {"est-ce", "il", "?"}};

// The ordinary tokens, without the special ones.
Tokens ordinary(const Vocabulary& vocabulary) {
  Tokens tokens;
  for (std::int64_t id = unk + 1; id < vocabulary.size(); ++id) tokens.push_back(vocabulary.token(id));
  return tokens;
}

}  // namespace

TEST_CASE("tokens are counted in byte order", "[data][vocabulary]") {
  CHECK(count_tokens(sentences) ==
        std::map<std::string, std::int64_t>{
            {".", 2}, {"?", 1}, {"beau", 1}, {"est", 1}, {"est-ce", 1}, {"fait", 1}, {"il", 3}, {"là", 1}});
  CHECK(count_tokens({}).empty());
}

TEST_CASE("a vocabulary has the most frequent tokens first", "[data][vocabulary]") {
  const Vocabulary all = Vocabulary::build(sentences);
  CHECK(ordinary(all) == Tokens{"il", ".", "?", "beau", "est", "est-ce", "fait", "là"});
  CHECK(all.size() == 12);
  CHECK(ordinary(Vocabulary::build(sentences, {.min_count = 2})) == Tokens{"il", "."});
  CHECK(ordinary(Vocabulary::build(sentences, {.limit = 3})) == Tokens{"il", ".", "?"});
  CHECK(ordinary(Vocabulary::build(sentences, {.min_count = 2, .limit = 1})) == Tokens{"il"});
  CHECK(Vocabulary::build(sentences, {.limit = 100}) == all);
}

TEST_CASE("tokens and ids map to each other", "[data][vocabulary]") {
  const Vocabulary vocabulary({"il", "fait"});
  CHECK(vocabulary.size() == 6);
  CHECK(vocabulary.id("il") == 4);
  CHECK(vocabulary.id("fait") == 5);
  CHECK(vocabulary.id("beau") == unk);
  CHECK(vocabulary.id("") == unk);
  CHECK(vocabulary.contains("fait"));
  CHECK_FALSE(vocabulary.contains("beau"));
  CHECK(vocabulary.token(pad) == "<pad>");
  CHECK(vocabulary.token(bos) == "<bos>");
  CHECK(vocabulary.token(eos) == "<eos>");
  CHECK(vocabulary.token(unk) == "<unk>");
  CHECK(vocabulary.token(4) == "il");

  CHECK(vocabulary.encode(Tokens{"il", "pleut", "fait"}) == Ids{4, 3, 5});
  CHECK(vocabulary.decode(Ids{1, 4, 3, 5, 2, 0, 0}) == Tokens{"il", "<unk>", "fait"});
}

TEST_CASE("the names of special tokens in a text are unknown words", "[data][vocabulary]") {
  const Vocabulary vocabulary = Vocabulary::build(std::vector<Tokens>{{"<unk>", "a", "<unk>", "<eos>"}});
  CHECK(ordinary(vocabulary) == Tokens{"a"});
  CHECK(vocabulary.encode(Tokens{"<pad>", "<bos>", "<eos>", "<unk>", "a"}) == Ids{3, 3, 3, 3, 4});
  CHECK_FALSE(vocabulary.contains("<eos>"));
}

TEST_CASE("a vocabulary round-trips through a file", "[data][vocabulary]") {
  const Vocabulary vocabulary = Vocabulary::build(sentences);
  CHECK(vocabulary.to_text() == "il\n.\n?\nbeau\nest\nest-ce\nfait\nlà\n");
  CHECK(Vocabulary::from_text(vocabulary.to_text(), "vocab.txt") == vocabulary);
  CHECK(Vocabulary::from_text("\xef\xbb\xbfil\r\nfait", "vocab.txt") == Vocabulary({"il", "fait"}));
  CHECK_FALSE(Vocabulary({"fait", "il"}) == Vocabulary({"il", "fait"}));
}

TEST_CASE("an invalid vocabulary is refused", "[data][vocabulary]") {
  const std::string convert = " is not UTF-8; convert the text, for instance with iconv -t UTF-8";
  const std::string special =
      " is a special token; give only ordinary tokens, special ones are added automatically";
  CHECK_THROWS_MATCHES(Vocabulary({"a", ""}), Error,
                       Message("Vocabulary: token 2: the token is empty; remove it"));
  CHECK_THROWS_MATCHES(Vocabulary({"a", "b", "a"}), Error,
                       Message("Vocabulary: token 3: 'a' occurs twice; give each token once"));
  CHECK_THROWS_MATCHES(Vocabulary({"<pad>"}), Error, Message("Vocabulary: token 1: <pad>" + special));
  CHECK_THROWS_MATCHES(Vocabulary({"a\nb"}), Error,
                       Message("Vocabulary: token 1: the token has a line break; remove it, since a "
                               "vocabulary has one token per line"));
  CHECK_THROWS_MATCHES(
      Vocabulary({"\xef\xbb\xbf"
                  "a"}),
      Error, Message("Vocabulary: token 1: the token begins with a byte order mark; remove the mark"));
  CHECK_THROWS_MATCHES(Vocabulary({"a\xff"}), Error, Message("Vocabulary: token 1: byte 2 (0xff)" + convert));

  const auto read = [](const std::string& text) { return Vocabulary::from_text(text, "vocab.txt"); };
  CHECK_THROWS_MATCHES(read("a\n\nb\n"), Error,
                       Message("Vocabulary::from_text: 'vocab.txt' line 2: the token is empty; remove it"));
  CHECK_THROWS_MATCHES(
      read("a\nb\na\n"), Error,
      Message("Vocabulary::from_text: 'vocab.txt' line 3: 'a' occurs twice; give each token once"));
  for (const std::string name : {"<pad>", "<bos>", "<eos>", "<unk>"}) {
    CHECK_THROWS_MATCHES(read("a\n" + name + "\n"), Error,
                         Message("Vocabulary::from_text: 'vocab.txt' line 2: " + name + special));
  }
  CHECK_THROWS_MATCHES(read("caf\xe9\n"), Error,
                       Message("Vocabulary::from_text: 'vocab.txt' line 1: byte 4 (0xe9)" + convert));

  CHECK_THROWS_MATCHES(
      Vocabulary::build(sentences, {.min_count = 0}), Error,
      Message("Vocabulary::build: min_count is 0, but must be at least 1; 1 keeps every token"));
  CHECK_THROWS_MATCHES(
      Vocabulary::build(sentences, {.limit = -1}), Error,
      Message("Vocabulary::build: limit is -1, but must be at least 0; 0 keeps every token"));
  CHECK_THROWS_MATCHES(
      Vocabulary::build(sentences, {.min_count = 4}), Error,
      Message("Vocabulary::build: no token occurs 4 or more times; lower min_count, or give more text"));
}

TEST_CASE("ids outside the vocabulary are refused", "[data][vocabulary]") {
  const Vocabulary vocabulary({"a"});
  CHECK_THROWS_MATCHES(
      vocabulary.token(5), Error,
      Message("Vocabulary::token: the id is 5, but must be 0 to 4; use a model with size() tokens"));
  CHECK_THROWS_MATCHES(
      vocabulary.decode(Ids{4, -1}), Error,
      Message("Vocabulary::token: the id is -1, but must be 0 to 4; use a model with size() tokens"));
}
