#pragma once

#include <gradus/error.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

/// Helpers for the fuzz targets. Each target defines LLVMFuzzerTestOneInput, which passes the input to the
/// code under test.
namespace fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Aborts unless `holds` is true. libFuzzer reports the abort as a finding.
inline void expect(bool holds, const char* what) {
  if (holds) return;
  std::cerr << "does not hold: " << what << '\n';
  std::abort();
}

/// A file in memory. with() replaces its content and returns its path.
class File {
 public:
  File() : fd_(::memfd_create("fuzz", MFD_CLOEXEC)) {}

  std::filesystem::path with(std::string_view content) const {
    expect(
        ::ftruncate(fd_, 0) == 0 && ::pwrite(fd_, content.data(), content.size(), 0) == std::ssize(content),
        "a file in memory can be written");
    return "/proc/self/fd/" + std::to_string(fd_);
  }

 private:
  int fd_;
};

/// Calls `reads`, which may throw gradus::Error. libFuzzer reports any other exception as a finding.
template <class Read>
void read(Read reads) {
  try {
    reads();
  } catch (const gradus::Error&) {
  }
}

}  // namespace fuzz
