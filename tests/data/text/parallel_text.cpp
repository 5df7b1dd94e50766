#include <gradus/data/parallel_text.hpp>
#include <gradus/data/text_lines.hpp>
#include <gradus/error.hpp>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "scratch.hpp"

using Catch::Matchers::Message;
using gradus::Error;
using namespace gradus::data;

namespace {

using Lines = std::vector<std::string>;
using Pairs = std::vector<SentencePair>;

// A temporary folder. file() writes a file with the given contents.
class Corpus {
 public:
  std::filesystem::path file(const std::string& name, const std::string& content) const {
    std::ofstream(scratch_.path() / name, std::ios::binary) << content;
    return scratch_.path() / name;
  }
  std::filesystem::path folder() const { return scratch_.path(); }

 private:
  Scratch scratch_;
};

std::string quoted(const std::filesystem::path& path) { return "'" + path.string() + "'"; }

// The output of: printf 'one\ntwo\n' | gzip
const std::string gz(
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xcb\xcf\x4b\xe5\x2a\x29\xcf\xe7\x02\x00\xe6\x0b\xba\x12"
    "\x08\x00\x00\x00",
    28);

}  // namespace

TEST_CASE("a file is read line by line", "[data][parallel text]") {
  const Corpus corpus;
  CHECK(read_lines(corpus.file("unix", "one\n\ntwo\n")) == Lines{"one", "", "two"});
  CHECK(read_lines(corpus.file("open", "one\ntwo")) == Lines{"one", "two"});
  CHECK(read_lines(corpus.file("windows", "\xef\xbb\xbfone\r\ntwo\r\n")) == Lines{"one", "two"});
  CHECK(read_lines(corpus.file("blank", "\n\n")) == Lines{"", ""});
  CHECK(read_lines(corpus.file("empty", "")).empty());
  CHECK(read_lines(corpus.file("inside", "a\xef\xbb\xbf\rb\n")) == Lines{"a\xef\xbb\xbf\rb"});
}

TEST_CASE("a file compressed by gzip is decompressed", "[data][parallel text]") {
  const Corpus corpus;
  CHECK(read_lines(corpus.file("text.gz", gz)) == Lines{"one", "two"});
  CHECK(read_lines(corpus.file("other name", gz)) == Lines{"one", "two"});
  CHECK(read_lines(corpus.file("two members.gz", gz + gz)) == Lines{"one", "two", "one", "two"});
  CHECK(read_lines(corpus.file("and padding.gz", gz + std::string(9, '\0'))) == Lines{"one", "two"});

  const auto refused = [&](const std::string& name, const std::string& content, const std::string& reason) {
    const auto file = corpus.file(name, content);
    CHECK_THROWS_MATCHES(read_lines(file), Error, Message("read_lines: " + quoted(file) + reason));
  };
  refused("cut.gz", gz.substr(0, 20), " ends within its compressed data; copy it again");
  std::string flipped = gz;
  flipped[21] ^= 1;  // damages the checksum
  const auto damaged = corpus.file("flipped.gz", flipped);
  CHECK_THROWS_WITH(read_lines(damaged),
                    Catch::Matchers::StartsWith("read_lines: " + quoted(damaged) + " is damaged ("));
}

TEST_CASE("a pipe and standard input are read to their end", "[data][parallel text]") {
  const Corpus corpus;
  const auto pipe = corpus.folder() / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  std::thread writer([&] { std::ofstream(pipe) << "one\ntwo\n" << std::flush << "three"; });
  CHECK(read_lines(pipe) == Lines{"one", "two", "three"});
  writer.join();

  std::istringstream in("a\tb\nc\td\n");
  auto* const before = std::cin.rdbuf(in.rdbuf());
  CHECK(read_tab_separated("-") == Pairs{{"a", "b"}, {"c", "d"}});
  std::istringstream compressed(gz), cut(gz.substr(0, 20));
  std::cin.rdbuf(compressed.rdbuf());
  CHECK(read_lines("-") == Lines{"one", "two"});
  std::cin.rdbuf(cut.rdbuf());
  CHECK_THROWS_MATCHES(read_lines("-"), Error,
                       Message("read_lines: standard input ends within its compressed data; copy it again"));
  std::cin.rdbuf(before);
}

TEST_CASE("a line has a longest length", "[data][parallel text][errors]") {
  const Corpus corpus;
  const std::string longest(TextLines::longest, 'x');
  CHECK(read_lines(corpus.file("lf", "a\n" + longest + "\nb\n")) == Lines{"a", longest, "b"});
  CHECK(read_lines(corpus.file("cr lf", longest + "\r\n" + longest + "\r\n")) == Lines{longest, longest});
  CHECK(read_lines(corpus.file("open", longest)) == Lines{longest});
  const std::string limit =
      ": found no line end within 1048576 bytes, the most that a line may have; give text with shorter lines";
  for (const char* end : {"", "\n", "\r\n", "yyy\n", "\rz"}) {
    const auto path = corpus.file("longer", "a\n" + longest + "x" + end);
    CHECK_THROWS_MATCHES(read_lines(path), Error, Message("read_lines: " + quoted(path) + " line 2" + limit));
    CHECK_THROWS_MATCHES(read_tab_separated(path), Error,
                         Message("read_tab_separated: " + quoted(path) + " line 2" + limit));
  }
  std::istringstream in(longest + "x\n");
  auto* const before = std::cin.rdbuf(in.rdbuf());
  CHECK_THROWS_MATCHES(read_lines("-"), Error, Message("read_lines: standard input line 1" + limit));
  std::cin.rdbuf(before);
}

TEST_CASE("text that needs more memory than a limit is refused", "[data][parallel text][errors]") {
  const Corpus corpus;
  const auto path = corpus.file("text", "one\ntwo\n");
  const std::size_t needed = 2 * (sizeof(std::string) + 3);
  CHECK(read_lines(path, needed) == Lines{"one", "two"});
  CHECK_THROWS_WITH(read_lines(path, needed - 1),
                    Catch::Matchers::EndsWith(" GB of memory, the most for a text; give less text"));
}

TEST_CASE("standard input is named in messages about a line", "[data][parallel text][errors]") {
  std::istringstream in("a\tb\nc\n");
  auto* const before = std::cin.rdbuf(in.rdbuf());
  CHECK_THROWS_MATCHES(read_tab_separated("-"), Error,
                       Message("read_tab_separated: standard input line 2: expected 2 tab-separated columns, "
                               "found 1; add the target or remove the line"));
  std::cin.rdbuf(before);
}

TEST_CASE("a large compressed file is decompressed in pieces", "[data][parallel text]") {
  const Corpus corpus;
  std::string pairs;
  for (int i = 0; i < 20'000; ++i) pairs += gz;
  CHECK(read_lines(corpus.file("many.gz", pairs)).size() == 40'000);
  CHECK_THROWS_WITH(read_lines(corpus.file("cut.gz", pairs.substr(0, pairs.size() - 1))),
                    Catch::Matchers::EndsWith(" ends within its compressed data; copy it again"));
}

TEST_CASE("columns after the second are counted, and not read", "[data][parallel text]") {
  const Corpus corpus;
  std::int64_t with_more = -1;
  const auto path = corpus.file("tatoeba", "a\tb\tCC-BY 2.0\n\nc\td\ne\tf\t\tx\n");
  CHECK(read_tab_separated(path, &with_more) == Pairs{{"a", "b"}, {"c", "d"}, {"e", "f"}});
  CHECK(with_more == 2);
  CHECK_FALSE(columns_of("a").second);
  CHECK(columns_of("a\t").second == "");
  CHECK(columns_of("a\tb\tc").first == "a");
  CHECK(columns_of("a\tb\tc").second == "b");
  CHECK(columns_of("a\tb\t").has_more);
  CHECK_FALSE(columns_of("a\tb").has_more);
}

TEST_CASE("a file that cannot be read as text is refused", "[data][parallel text]") {
  const Corpus corpus;
  CHECK_THROWS_MATCHES(read_lines(corpus.folder() / "none"), Error,
                       Message("read_lines: " + quoted(corpus.folder() / "none") +
                               " cannot be opened: No such file or directory; check the path"));
  CHECK_THROWS_MATCHES(read_lines(corpus.folder()), Error,
                       Message("read_lines: " + quoted(corpus.folder()) +
                               " is not a regular file; give the path of a text file"));
  const auto latin1 = corpus.file("latin1", "\xef\xbb\xbfthe\r\ncaf\xe9\n");
  const std::string wrong_byte =
      " line 2: byte 4 (0xe9) is not UTF-8; convert the text, for instance with iconv -t UTF-8";
  CHECK_THROWS_MATCHES(read_lines(latin1), Error, Message("read_lines: " + quoted(latin1) + wrong_byte));
  CHECK_THROWS_MATCHES(read_tab_separated(latin1), Error,
                       Message("read_tab_separated: " + quoted(latin1) + wrong_byte));
  CHECK_THROWS_MATCHES(read_parallel(latin1, latin1), Error,
                       Message("read_parallel: " + quoted(latin1) + wrong_byte));
}

TEST_CASE("pairs are read from two columns", "[data][parallel text]") {
  const Corpus corpus;
  const auto path = corpus.file(
      "fra.txt", "Go.\tVa !\tCC-BY 2.0\t#1\r\n\r\nI lost.\tJ'ai perdu.\n \t \nHi.\tSalut\xc2\xa0!");
  CHECK(read_tab_separated(path) ==
        Pairs{{"Go.", "Va !"}, {"I lost.", "J'ai perdu."}, {"Hi.", "Salut\xc2\xa0!"}});
}

TEST_CASE("a line that is not a pair is refused", "[data][parallel text]") {
  const Corpus corpus;
  const auto untabbed = corpus.file("untabbed", "Go.\tVa !\n\nHi. Salut !\n");
  CHECK_THROWS_MATCHES(
      read_tab_separated(untabbed), Error,
      Message("read_tab_separated: " + quoted(untabbed) +
              " line 3: expected 2 tab-separated columns, found 1; add the target or remove the line"));
  const auto sourceless = corpus.file("sourceless", " \tVa !\n");
  CHECK_THROWS_MATCHES(read_tab_separated(sourceless), Error,
                       Message("read_tab_separated: " + quoted(sourceless) +
                               " line 1: the source is blank; fill it in or remove the line"));
  const auto targetless = corpus.file("targetless", "Go.\t\tCC-BY\n");
  CHECK_THROWS_MATCHES(read_tab_separated(targetless), Error,
                       Message("read_tab_separated: " + quoted(targetless) +
                               " line 1: the target is blank; fill it in or remove the line"));
  // The second target is a no-break, an ideographic and a zero-width space. A tokeniser finds no token in it.
  const auto spaces =
      corpus.file("spaces", "\xc2\xa0\t\xe3\x80\x80\nGo.\t\xc2\xa0\xe3\x80\x80\xe2\x80\x8b\n");
  CHECK_THROWS_MATCHES(read_tab_separated(spaces), Error,
                       Message("read_tab_separated: " + quoted(spaces) +
                               " line 2: the target is blank; fill it in or remove the line"));
  const auto empty = corpus.file("empty", "\n\n");
  CHECK_THROWS_MATCHES(read_tab_separated(empty), Error,
                       Message("read_tab_separated: " + quoted(empty) +
                               " has no pairs; write source, tab and target on each line"));
}

TEST_CASE("pairs are read from two files", "[data][parallel text]") {
  const Corpus corpus;
  const auto source = corpus.file("source", "c a t\n\nd o g\ne e l\n"),
             target = corpus.file("target", "K AE1 T\r\nX\r\n \r\nIY1 L"),
             spaces = corpus.file("spaces", "K AE1 T\nX\n\xc2\xa0\xe3\x80\x80\nIY1 L");
  CHECK(read_parallel(source, target) == Pairs{{"c a t", "K AE1 T"}, {"e e l", "IY1 L"}});
  CHECK(read_parallel(source, spaces) == read_parallel(source, target));

  const auto shorter = corpus.file("shorter", "K AE1 T\n\nD AO1 G\n");
  CHECK_THROWS_MATCHES(read_parallel(source, shorter), Error,
                       Message("read_parallel: " + quoted(source) + " has 4 lines, but " + quoted(shorter) +
                               " has 3; line i of the second file must translate line i of the first"));
  const auto blank = corpus.file("blank", "\n \n\n\t\n");
  CHECK_THROWS_MATCHES(read_parallel(source, blank), Error,
                       Message("read_parallel: " + quoted(source) + " and " + quoted(blank) +
                               " have no pairs; give files with one sentence per line"));
}
