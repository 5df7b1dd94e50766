#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)
namespace gradus::files {

/// A file that is read from its beginning, and known to hold what is asked of it before memory is taken.
/// Errors are "<who>: '<path>' <what is wrong>; <a way out>".
class Input {
 public:
  /// @param kind what the file should be, for messages: ".npy file"
  /// @throws Error when the path is that of a folder or a device, or cannot be opened.
  Input(std::string_view who, const std::filesystem::path& path, std::string_view kind);

  const std::filesystem::path& path() const { return path_; }
  /// How many bytes were not read yet.
  std::uint64_t left() const { return left_; }
  /// Reads the next `bytes`, at most left(). @throws Error when the system cannot.
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
