// Checked reading of files. The formats that use it have their own tests.

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
              "read: '" + missing.string() + "' cannot be opened; check the path and the permissions");
  for (const fs::path& path : {scratch.path(), pipe}) {
    CHECK_ERROR(Input("read", path, ".npy file"),
                "read: '" + path.string() + "' is not a regular file; give the path of a .npy file");
  }
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
