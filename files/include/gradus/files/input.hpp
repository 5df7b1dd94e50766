#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)
namespace gradus::files {

/// Throws the Error for a file that cannot be opened for reading: "<who>: '<path>' cannot be opened: <the
/// system's reason>; <what to do>". `reason` is errno.
[[noreturn]] void refuse_to_open(std::string_view who, const std::filesystem::path& path, int reason);

/// A file that is read sequentially. If the file's content states the size of its data, compare this size
/// with left() before you allocate memory for the data. Errors have the form "<who>: '<path>' <what is
/// wrong>; <what to do>".
class Input {
 public:
  /// @param kind the expected kind of file, for messages: ".npy file"
  /// @throws Error if the path is not a regular file or cannot be opened.
  Input(std::string_view who, const std::filesystem::path& path, std::string_view kind);

  const std::filesystem::path& path() const { return path_; }
  /// Number of bytes that are not read yet.
  std::uint64_t left() const { return left_; }
  /// Reads the next `bytes` bytes. `bytes` must not exceed left(). @throws Error if reading fails.
  void read(void* into, std::uint64_t bytes);

 private:
  [[noreturn]] void refuse(std::string_view what) const;

  std::string who_;
  std::filesystem::path path_;
  std::ifstream in_;
  std::uint64_t left_ = 0;
};

}  // namespace gradus::files
#pragma GCC visibility pop
