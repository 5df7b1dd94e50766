#include <gradus/error.hpp>
#include <gradus/plot/output.hpp>

#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "catch.hpp"
#include "scratch.hpp"

namespace fs = std::filesystem;
using gradus::plot::OutputFolder;

namespace {

template <class Action>
std::string message(Action action) {
  try {
    action();
  } catch (const gradus::Error& error) {
    return error.what();
  }
  return "no error";
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE("an output folder is created with its parents and left empty", "[plot]") {
  const Scratch scratch;
  const OutputFolder folder(scratch.path() / "a" / "b");
  CHECK(fs::is_directory(scratch.path() / "a" / "b"));
  CHECK(names(scratch.path() / "a" / "b").empty());
  CHECK(folder.path() == scratch.path() / "a" / "b");
  CHECK_NOTHROW(OutputFolder(scratch.path() / "a" / "b"));  // an existing folder is fine
  CHECK_NOTHROW(OutputFolder(scratch.path() / "c" / ""));   // a trailing slash is fine
}

TEST_CASE("an output folder writes complete files, and replaces them", "[plot]") {
  const Scratch scratch;
  const OutputFolder folder(scratch.path());
  const std::string big(3'000'000, 'x');
  CHECK(folder.write("x.svg", big) == scratch.path() / "x.svg");
  CHECK(content(scratch.path() / "x.svg") == big);
  folder.write("x.svg", std::string("a\0b", 3));
  CHECK(content(scratch.path() / "x.svg") == std::string("a\0b", 3));
  folder.write(std::string(255, 'n'), "");  // the longest name allowed on Linux
  CHECK(content(scratch.path() / std::string(255, 'n')).empty());
  CHECK(names(scratch.path()).size() == 2);
}

TEST_CASE("an output file has the permissions of the umask", "[plot]") {
  const Scratch scratch;
  const mode_t old = ::umask(022);
  const fs::path path = OutputFolder(scratch.path()).write("x", "y");
  ::umask(old);
  CHECK(fs::status(path).permissions() == fs::perms{0644});
}

TEST_CASE("a file that exceeds a limit leaves only the old file", "[plot]") {
  const Scratch scratch;
  const OutputFolder folder(scratch.path());
  folder.write("x.svg", "old");
  std::string text;
  {
    const SizeLimit limit(4096);
    text = message([&] { folder.write("x.svg", std::string(10000, 'x')); });
  }
  CHECK(has(text,
            "OutputFolder: cannot write to '" + (scratch.path() / "x.svg").string() + "': File too large"));
  CHECK(has(text, "raise the limit of this shell, 'ulimit -f'"));
  CHECK(content(scratch.path() / "x.svg") == "old");
  CHECK(names(scratch.path()) == std::vector<std::string>{"x.svg"});
}

TEST_CASE("a full disk is reported before anything is computed", "[plot]") {
  const Scratch scratch;
  std::string text;
  {
    const SizeLimit limit(0);
    text = message([&] { OutputFolder folder(scratch.path()); });
  }
  CHECK(has(text, "OutputFolder: cannot write to '" + scratch.path().string() + "'"));
  CHECK(names(scratch.path()).empty());
}

TEST_CASE("a path through a file is refused at once", "[plot]") {
  const Scratch scratch;
  std::ofstream(scratch.path() / "file") << "x";
  for (const fs::path& path : {scratch.path() / "file", scratch.path() / "file" / "below"}) {
    const std::string text = message([&] { OutputFolder folder(path); });
    CHECK(has(text, "OutputFolder: cannot create folder '" + path.string() + "': Not a directory"));
    CHECK(has(text, "choose another path"));
  }
  CHECK(content(scratch.path() / "file") == "x");
  CHECK(has(message([] { OutputFolder folder(""); }), "the path is empty"));
}

TEST_CASE("a folder without write permission is refused at once", "[plot]") {
  if (::geteuid() == 0) return;  // root can write everywhere
  const Scratch scratch;
  fs::permissions(scratch.path(), fs::perms{0555});
  CHECK(has(message([&] { OutputFolder folder(scratch.path()); }), "Permission denied"));
  CHECK(has(message([&] { OutputFolder folder(scratch.path() / "new"); }), "Permission denied"));
  fs::permissions(scratch.path(), fs::perms{0755});
}

TEST_CASE("the name of an existing folder is refused, and nothing is left behind", "[plot]") {
  const Scratch scratch;
  const OutputFolder folder(scratch.path());
  fs::create_directory(scratch.path() / "taken");
  const std::string text = message([&] { folder.write("taken", "x"); });
  CHECK(has(text, (scratch.path() / "taken").string()));
  CHECK(has(text, "a folder has this name"));
  CHECK(names(scratch.path()) == std::vector<std::string>{"taken"});
}

TEST_CASE("the error for a removed folder names it", "[plot]") {
  const Scratch scratch;
  const OutputFolder folder(scratch.path() / "out");
  fs::remove(scratch.path() / "out");
  const std::string text = message([&] { folder.write("x", "y"); });
  CHECK(has(text, (scratch.path() / "out" / "x").string() + "': No such file or directory"));
}

TEST_CASE("only plain file names are written", "[plot]") {
  const Scratch scratch;
  const OutputFolder folder(scratch.path() / "out");
  for (const std::string& name : {std::string(), std::string("."), std::string(".."), std::string("../x"),
                                  std::string("/tmp/x"), std::string("a/b"), std::string("a\0b", 3)}) {
    CHECK(has(message([&] { folder.write(name, "x"); }), "is not a plain file name"));
  }
  CHECK(names(scratch.path()).size() == 1);
  CHECK(names(scratch.path() / "out").empty());
}
