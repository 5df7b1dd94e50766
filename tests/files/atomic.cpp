// Atomic files: removal of temporary files that killed writers left; writes to symbolic links, pipes and
// devices. The tests of each file format check that its files are written atomically.

#include <gradus/error.hpp>
#include <gradus/files/atomic.hpp>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <span>
#include <string>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "scratch.hpp"

namespace fs = std::filesystem;

namespace {

void write(const fs::path& target, const std::string& text) {
  gradus::files::check_target("write", target);
  gradus::files::write_atomically("write", target, text);
}

std::string refused(const fs::path& target) {
  std::string of_check;
  try {
    gradus::files::check_target("write", target);
  } catch (const gradus::Error& error) {
    of_check = error.what();
  }
  try {
    gradus::files::write_atomically("write", target, "x");
  } catch (const gradus::Error& error) {
    CHECK(of_check == error.what());
  }
  return of_check;
}

}  // namespace

TEST_CASE("sweeping removes only temporary files of killed writers", "[files]") {
  const Scratch scratch;
  const auto make = [&](const std::string& name) {
    std::ofstream(scratch.path() / name) << "x";
    return scratch.path() / name;
  };
  make(".gradus-1-0.tmp");
  make(".gradus-" + std::to_string(::getpid()) + "-7.tmp");  // left by a killed process with our process id
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

TEST_CASE("sweeping does not disturb active writers", "[files]") {
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

TEST_CASE("a symbolic link is followed, and its target replaced", "[files]") {
  const Scratch scratch;
  const fs::path folder = scratch.path() / "folder", file = folder / "file", near = scratch.path() / "near",
                 far = folder / "far";
  fs::create_directory(folder);
  std::ofstream(file) << "old";
  fs::create_hard_link(file, folder / "other");
  fs::create_symlink("folder/file", near);
  fs::create_symlink(near, far);
  for (const fs::path& link : {near, far}) {
    write(link, link.filename());
    CHECK(fs::is_symlink(link));
    CHECK(content(file) == link.filename());
  }
  CHECK_FALSE(fs::is_symlink(file));
  // The hard link still leads to the old file. So write() has made a new file instead of changing the old
  // one.
  CHECK(content(folder / "other") == "old");
  CHECK(names(folder).size() == 3);
  CHECK(names(scratch.path()).size() == 2);
}

TEST_CASE("the missing target of a link is created", "[files]") {
  const Scratch scratch;
  const fs::path folder = scratch.path() / "folder", link = scratch.path() / "link";
  fs::create_symlink("folder/file", link);
  CHECK(refused(link) ==
        "write: cannot write to '" + link.string() +
            "': No such file or directory; the folder does not exist; create it, or choose another");
  fs::create_directory(folder);
  write(link, "new");
  CHECK(fs::is_symlink(link));
  CHECK(content(folder / "file") == "new");
  CHECK(names(folder) == std::vector<std::string>{"file"});
}

TEST_CASE("cyclic links and folders are refused", "[files]") {
  const Scratch scratch;
  const fs::path a = scratch.path() / "a", b = scratch.path() / "b", folder = scratch.path() / "folder",
                 to_folder = scratch.path() / "to-folder";
  fs::create_symlink("b", a);
  fs::create_symlink("a", b);
  for (const fs::path& target : {a, b, a / "file"}) {
    CHECK(refused(target) == "write: cannot write to '" + target.string() +
                                 "': Too many levels of symbolic links; symbolic links form a cycle; remove "
                                 "one, or choose another name");
  }
  fs::create_directory(folder);
  fs::create_symlink(folder, to_folder);
  for (const fs::path& target : {folder, to_folder}) {
    CHECK(refused(target) ==
          "write: cannot write to '" + target.string() +
              "': Is a directory; a folder has this name; choose another name, or move the folder");
  }
  CHECK(fs::is_symlink(to_folder));
  CHECK(names(folder).empty());
  CHECK(names(scratch.path()).size() == 4);
}

TEST_CASE("a pipe and a device are written to in place", "[files]") {
  const Scratch scratch;
  const fs::path pipe = scratch.path() / "pipe", null = scratch.path() / "null";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  std::string read;
  std::thread reader([&] { read = content(pipe); });
  const std::string text(100'000, 'x');  // more than a pipe can buffer
  write(pipe, text);
  reader.join();
  CHECK(read == text);
  CHECK(fs::is_fifo(pipe));

  fs::create_symlink("/dev/null", null);
  write(null, text);
  CHECK(fs::is_symlink(null));
  CHECK(fs::is_character_file(null));
  CHECK(names(scratch.path()).size() == 2);
}

TEST_CASE("a file that is standard output is not replaced", "[files]") {
  const Scratch scratch;
  const fs::path out = scratch.path() / "out", link = scratch.path() / "link";
  fs::create_symlink(out, link);
  const int old = ::dup(STDOUT_FILENO), file = ::open(out.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  std::cout << std::flush;
  std::fflush(stdout);
  REQUIRE(::dup2(file, STDOUT_FILENO) >= 0);
  const bool began = ::write(STDOUT_FILENO, "before, ", 8) == 8;
  std::string failure;
  try {
    write(link, "here");
  } catch (const gradus::Error& error) {
    failure = error.what();
  }
  const bool ended = ::write(STDOUT_FILENO, ", after", 7) == 7;
  ::dup2(old, STDOUT_FILENO);
  ::close(old);
  ::close(file);
  CHECK(began);
  CHECK(ended);
  CHECK(failure == "");
  CHECK(content(out) == "before, here, after");
}
