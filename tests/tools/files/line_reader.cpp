// Reads lines from standard input as they arrive from a program in a pipe.

#include "files/line_reader.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <future>
#include <iostream>
#include <string_view>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "tools/run.hpp"

namespace tools = gradus::tools;
using Lines = std::vector<std::string>;

namespace {

// Replaces standard input by the reading end of a pipe. The destructor restores it.
class Pipe {
 public:
  Pipe() : before_(::dup(STDIN_FILENO)) {
    std::array<int, 2> ends{};
    REQUIRE(::pipe(ends.data()) == 0);
    ::dup2(ends[0], STDIN_FILENO);
    ::close(ends[0]);
    writing_ = ends[1];
    std::cin.clear();
  }
  ~Pipe() {
    close();
    ::dup2(before_, STDIN_FILENO);
    ::close(before_);
    std::cin.clear();
  }
  void write(std::string_view text) const {
    REQUIRE(::write(writing_, text.data(), text.size()) == std::ssize(text));
  }
  void close() {
    if (writing_ >= 0) ::close(writing_);
    writing_ = -1;
  }

 private:
  int before_, writing_ = -1;
};

}  // namespace

TEST_CASE("the lines of a pipe are returned before the writer has ended", "[tools][line_reader]") {
  Pipe pipe;
  const tools::LineReader next = tools::lines_of("-");
  pipe.write("one\n");
  CHECK(next() == Lines{"one"});
  pipe.write("two\r\n\nfour\n");
  CHECK(next() == Lines{"two", "", "four"});
  pipe.write("five");
  pipe.close();
  CHECK(next() == Lines{"five"});
  CHECK(next().empty());
}

TEST_CASE("the lines of a named pipe are returned before the writer has ended", "[tools][line_reader]") {
  const Scratch scratch;
  const std::filesystem::path path = scratch.path() / "pipe";
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  std::promise<void> is_read;
  std::thread writer([&] {
    std::ofstream out(path);
    out << "one\n" << std::flush;
    is_read.get_future().wait();
    out << "two\n";
  });
  const tools::LineReader next = tools::lines_of(path);
  CHECK(next() == Lines{"one"});
  is_read.set_value();
  CHECK(next() == Lines{"two"});
  CHECK(next().empty());
  writer.join();
}

TEST_CASE("a compressed pipe is decompressed", "[tools][line_reader]") {
  // The output of: printf 'one\ntwo\n' | gzip
  constexpr std::string_view gz(
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xcb\xcf\x4b\xe5\x2a\x29\xcf\xe7\x02\x00\xe6\x0b\xba\x12"
      "\x08\x00\x00\x00",
      28);
  const auto read = [](std::string_view text) {
    Pipe pipe;
    const tools::LineReader next = tools::lines_of("-");
    pipe.write(text);
    pipe.close();
    Lines lines;
    for (Lines some = next(); !some.empty(); some = next())
      lines.insert(lines.end(), some.begin(), some.end());
    return lines;
  };
  CHECK(read(gz) == Lines{"one", "two"});
  CHECK(read("\x1fone\n") == Lines{"\x1fone"});
  CHECK_THROWS_WITH(read(gz.substr(0, 20)),
                    "read_lines: standard input ends within its compressed data; copy it again");
}

TEST_CASE("many lines of a pipe are returned a thousand at a time", "[tools][line_reader]") {
  Pipe pipe;
  const tools::LineReader next = tools::lines_of("");
  std::string text;
  for (int i = 0; i < 1500; ++i) text += std::to_string(i) + '\n';
  pipe.write(text);
  pipe.close();
  Lines all;
  std::size_t calls = 0;
  for (Lines some = next(); !some.empty(); some = next(), ++calls) {
    CHECK(some.size() <= 1000);
    all.insert(all.end(), some.begin(), some.end());
  }
  REQUIRE(all.size() == 1500);
  CHECK(all[1499] == "1499");
  CHECK(calls == 2);
}
