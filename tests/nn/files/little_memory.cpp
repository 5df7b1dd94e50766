// If a header declares more data than the file holds, the file must be refused before memory is allocated.
// Tested in a process with a memory limit.

#include <gradus/error.hpp>
#include <gradus/nn/npy.hpp>
#include <gradus/nn/safetensors.hpp>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <new>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "autograd/memory/sanitizers.hpp"
#include "scratch.hpp"

namespace fs = std::filesystem;
using gradus::nn::load_npy;
using gradus::nn::load_safetensors;

namespace {

enum Outcome { taken = 0, refused = 1, out_of_memory = 2, failed = 3 };

// Reads a file in a child process that may map at most 32 MB more than this process. Returns the outcome.
template <class Read>
Outcome with_little_memory(const Read& reads) {
  const pid_t child = ::fork();
  if (child == 0) {
    rlim_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t most = pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + (rlim_t{32} << 20);
    const rlimit limit{most, most};
    if (::setrlimit(RLIMIT_AS, &limit) != 0) ::_exit(failed);
    try {
      reads();
      ::_exit(taken);
    } catch (const gradus::Error&) {
      ::_exit(refused);
    } catch (const std::bad_alloc&) {
      ::_exit(out_of_memory);
    }
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? static_cast<Outcome>(WEXITSTATUS(status)) : failed;
}

// A sparse file: `start`, followed by zeros that take no disk space.
fs::path sparse_file(const fs::path& path, const std::string& start, std::uint64_t size) {
  std::ofstream(path, std::ios::binary) << start;
  fs::resize_file(path, size);
  return path;
}

std::string length_prefix(std::uint64_t length) {
  return {reinterpret_cast<const char*>(&length), sizeof length};
}

std::string safetensors(const std::string& header) { return length_prefix(header.size()) + header; }

}  // namespace

TEST_CASE("safetensors files that declare more data than they hold allocate no memory", "[nn][safetensors]") {
  if (gradus::sanitized) return;  // a sanitizer reserves terabytes of address space
  const Scratch scratch;
  const auto outcome = [&](const std::string& start, std::uint64_t size) {
    const fs::path path = sparse_file(scratch.path() / "x", start, size);
    return with_little_memory([&] { load_safetensors(path); });
  };
  CHECK(outcome(safetensors("{}"), 10) == taken);
  CHECK(outcome(length_prefix(100'000'000), 200'000'000) == out_of_memory);  // proves that the limit works
  CHECK(outcome(length_prefix(100'000'001), 200'000'000) == refused);
  CHECK(outcome(length_prefix(99'999'999), 1'000) == refused);
  CHECK(outcome(length_prefix(~std::uint64_t{0}), 1'000) == refused);
  const std::string huge =
      safetensors(R"({"w":{"dtype":"F32","shape":[1000000000000],"data_offsets":[0,4000000000000]}})");
  CHECK(outcome(huge, huge.size()) == refused);
  CHECK(outcome(huge, huge.size() + 1'000'000) == refused);
}

TEST_CASE(".npy files that declare more data than they hold allocate no memory", "[nn][npy]") {
  if (gradus::sanitized) return;  // a sanitizer reserves terabytes of address space
  const Scratch scratch;
  const auto outcome = [&](const std::string& shape, std::uint64_t values) {
    const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }";
    std::string start = "\x93NUMPY";
    start += {'\x01', '\0', static_cast<char>(header.size()), '\0'};
    const fs::path path =
        sparse_file(scratch.path() / "x", start + header, start.size() + header.size() + values);
    return with_little_memory([&] { load_npy(path); });
  };
  CHECK(outcome("(2, 3)", 24) == taken);
  CHECK(outcome("(1000000, 1000000)", 24) == refused);
  CHECK(outcome("(1000000000000,)", 1'000'000) == refused);
}
