// Files of word vectors in the formats of word2vec, fastText and GloVe.

#include <gradus/data/word_vectors.hpp>
#include <gradus/error.hpp>

#include <fstream>
#include <string>
#include <vector>

#include "catch.hpp"
#include "scratch.hpp"

using namespace gradus::data;
using Catch::Matchers::Message;
using gradus::Error;

namespace {

const Vocabulary vocabulary({"il", "fait", ". .", "5"});  // their ids are 4 to 7

WordVectors read(const std::string& text) { return word_vectors_from_text(text, "v.txt", vocabulary); }

void check_refused(const std::string& text, const std::string& message) {
  CHECK_THROWS_MATCHES(read(text), Error, Message("read_word_vectors: 'v.txt' " + message));
}

}  // namespace

TEST_CASE("word vectors are read with word2vec's header and without", "[data][word_vectors]") {
  for (const std::string header : {"", "4 2\n"}) {
    const WordVectors vectors = read(header + "elle 9 9\nfait -0.5 1e-2\n</s> 0 0\nil 2 .25\n");
    CHECK(vectors.size == 2);
    CHECK(vectors.ids == std::vector<std::int64_t>{5, 4});
    CHECK(vectors.values == std::vector<float>{-0.5F, 0.01F, 2, 0.25F});
  }
}

TEST_CASE("word vectors may have spaces at the ends of lines and in words, tabs, CR LF and a mark",
          "[data][word_vectors]") {
  const WordVectors vectors = read("\xEF\xBB\xBFil\t1\t2 \r\n. . 3 4\r\n5 6 7\n. 0 0\n<unk> 8 8\nil 9 9");
  CHECK(vectors.ids == std::vector<std::int64_t>{4, 6, 7});
  CHECK(vectors.values == std::vector<float>{1, 2, 3, 4, 6, 7});  // "il" has two vectors: the first counts
}

TEST_CASE("a first line of two whole numbers is a header", "[data][word_vectors]") {
  CHECK(read("1 1\n5 2\n").values == std::vector<float>{2});
  CHECK(read("5 0.5\nil 1\n").values == std::vector<float>{0.5F, 1});
}

TEST_CASE("damaged files of word vectors are refused", "[data][word_vectors][errors]") {
  check_refused("", "has no word vectors; write a word and its numbers on each line");
  check_refused("0 3\n", "has no word vectors; write a word and its numbers on each line");
  check_refused("il\n", "line 1: the vectors have no numbers; write a word and its numbers");
  check_refused("1 0\nil\n", "line 1: the vectors have no numbers; write a word and its numbers");
  check_refused("3 2\nil 1 2\nfait 3 4\n",
                "line 1: the header says 3 words, but 2 follow; copy the file again, or correct the header");
  check_refused(
      "1 99999999999\nil 1 2\n",
      "line 2: expected a word and 99999999999 numbers, found 3 fields; correct or remove the line");
  check_refused("il 1 2\nelle 1\n",
                "line 2: expected a word and 2 numbers, found 2 fields; correct or remove the line");
  check_refused("il 1 2\n\n",
                "line 2: expected a word and 2 numbers, found 0 fields; correct or remove the line");
  for (const std::string number : {"x", "1e", "nan", "inf", "1e99", "0x1", "1,5"}) {
    check_refused("elle 1 2\nil 1 " + number + "\n",
                  "line 2: expected a finite number, found '" + number + "'; correct or remove the line");
  }
  CHECK_THROWS_WITH(read("il 1\nf\xff 2\n"), Catch::Matchers::ContainsSubstring("'v.txt' line 2"));
}

TEST_CASE("word vectors are read from a file", "[data][word_vectors]") {
  const Scratch scratch;
  const auto path = scratch.path() / "v.txt";
  std::ofstream(path) << "il 1 2 3\n";
  CHECK(read_word_vectors(path, vocabulary).values == std::vector<float>{1, 2, 3});
  CHECK_THROWS_MATCHES(read_word_vectors(scratch.path() / "none", vocabulary), Error,
                       Message("read_word_vectors: '" + (scratch.path() / "none").string() +
                               "' cannot be opened: No such file or directory; check the path"));
}
