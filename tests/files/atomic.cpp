// What killed writers leave behind. Atomic output itself is tested with the formats that use it.

#include <gradus/files/atomic.hpp>

#include <algorithm>
#include <atomic>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <sys/file.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "scratch.hpp"

namespace fs = std::filesystem;

TEST_CASE("sweeping removes what killed writers have left, and nothing else", "[files]") {
  const Scratch scratch;
  const auto make = [&](const std::string& name) {
    std::ofstream(scratch.path() / name) << "x";
    return scratch.path() / name;
  };
  make(".gradus-1-0.tmp");
  make(".gradus-" + std::to_string(::getpid()) + "-7.tmp");  // a writer of the same number, long ago
  const fs::path at_work = make(".gradus-1-1.tmp");
  for (const char* name : {"notes.tmp", ".gradus-1-2.tmp.txt", "model.safetensors"}) make(name);
  const int fd = ::open(at_work.c_str(), O_WRONLY);
  REQUIRE(::flock(fd, LOCK_EX) == 0);

  gradus::files::sweep(scratch.path());
  auto left = names(scratch.path());
  std::sort(left.begin(), left.end());
  CHECK(left ==
        std::vector<std::string>{".gradus-1-1.tmp", ".gradus-1-2.tmp.txt", "model.safetensors", "notes.tmp"});
  ::close(fd);
  gradus::files::sweep(scratch.path());
  CHECK(names(scratch.path()).size() == 3);
  CHECK_NOTHROW(gradus::files::sweep(scratch.path() / "missing"));
}

TEST_CASE("sweeping harms no writer at work", "[files]") {
  const Scratch scratch;
  std::atomic<bool> done = false;
  std::thread sweeper([&] {
    while (!done) gradus::files::sweep(scratch.path());
  });
  for (int i = 0; i < 200; ++i) {
    CHECK_NOTHROW(gradus::files::write_atomically("write", scratch.path() / "x", std::to_string(i)));
  }
  done = true;
  sweeper.join();
  CHECK(content(scratch.path() / "x") == "199");
}

TEST_CASE("pieces are written one after the other", "[files]") {
  const Scratch scratch;
  const std::vector<std::string_view> pieces{"a", "", "bc"};
  gradus::files::write_atomically("write", scratch.path() / "x", pieces);
  CHECK(content(scratch.path() / "x") == "abc");
  gradus::files::write_atomically("write", scratch.path() / "x", std::span(pieces).first(0));
  CHECK(content(scratch.path() / "x").empty());
  CHECK(names(scratch.path()) == std::vector<std::string>{"x"});
}
