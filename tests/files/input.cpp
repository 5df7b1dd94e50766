// Reading of files, with checks. The file formats that use this reading have their own tests.

#include <gradus/files/input.hpp>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>

#include "autograd/helpers.hpp"
#include "scratch.hpp"

namespace fs = std::filesystem;
using gradus::files::Input;

TEST_CASE("a file is read sequentially, and reports the bytes left", "[files]") {
  const Scratch scratch;
  const fs::path path = scratch.path() / "x";
  std::ofstream(path, std::ios::binary) << "abc" << '\0' << 'e';
  Input in("read", path, "file");
  CHECK(in.path() == path);
  CHECK(in.left() == 5);
  std::array<char, 2> start{};
  in.read(start.data(), 2);
  CHECK(std::string(start.data(), 2) == "ab");
  CHECK(in.left() == 3);
  std::array<char, 3> rest{};
  in.read(rest.data(), 3);
  CHECK(std::string(rest.data(), 3) == std::string("c\0e", 3));
  CHECK(in.left() == 0);
  CHECK_NOTHROW(in.read(nullptr, 0));
}

TEST_CASE("a missing file, folder or pipe is refused", "[files]") {
  const Scratch scratch;
  const fs::path missing = scratch.path() / "missing", pipe = scratch.path() / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK_ERROR(Input("read", missing, "file"),
              "read: '" + missing.string() + "' cannot be opened: No such file or directory; check the path");
  for (const fs::path& path : {scratch.path(), pipe}) {
    CHECK_ERROR(Input("read", path, ".npy file"),
                "read: '" + path.string() + "' is not a regular file; give the path of a .npy file");
  }
}

TEST_CASE("a file that cannot be opened is an error with the system's reason", "[files]") {
  const Scratch scratch;
  const fs::path loop = scratch.path() / "loop", file = scratch.path() / "file", name = std::string(300, 'x');
  fs::create_symlink("loop", loop);
  std::ofstream(file) << "x";
  const auto message = [](const fs::path& path, const std::string& reason) {
    return "read: '" + path.string() + "' cannot be opened: " + reason;
  };
  CHECK_ERROR(Input("read", loop, "file"),
              message(loop,
                      "Too many levels of symbolic links; symbolic links form a cycle; remove one, or "
                      "give another path"));
  CHECK_ERROR(Input("read", file / "x", "file"),
              message(file / "x", "Not a directory; part of the path is a file; check the path"));
  CHECK_ERROR(Input("read", name, "file"), message(name, "File name too long; choose a shorter name"));
  CHECK_ERROR(gradus::files::refuse_to_open("read", file, EACCES),
              message(file, "Permission denied; check the permissions"));
  CHECK_ERROR(gradus::files::refuse_to_open("read", file, EMFILE),
              message(file,
                      "Too many open files; close other programs, or raise the limit of this shell, "
                      "'ulimit -n'"));
  CHECK_ERROR(gradus::files::refuse_to_open("read", file, EIO),
              message(file, "Input/output error; check the path and the permissions"));
}

TEST_CASE("a file that shrinks while it is read is an error", "[files]") {
  const Scratch scratch;
  const fs::path path = scratch.path() / "x";
  std::ofstream(path, std::ios::binary) << "abcdef";
  Input in("read", path, "file");
  fs::resize_file(path, 3);
  std::array<char, 6> bytes{};
  CHECK_ERROR(in.read(bytes.data(), 6),
              "read: '" + path.string() +
                  "' could not be read; check that no other program writes it, and try again");
}
