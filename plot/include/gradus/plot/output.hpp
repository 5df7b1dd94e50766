#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)
namespace gradus::plot {

/// An output folder. The constructor checks that the folder is writable, so that a program fails before
/// training instead of after it. Files are written atomically.
class OutputFolder {
 public:
  /// Creates the folder and its parents if needed. Writes and removes a file to check that the folder is
  /// writable. Throws Error with the path, the system's reason and what to do.
  explicit OutputFolder(std::filesystem::path path);

  /// Writes `content` to the file `name`, replaces an existing file, and returns the path. The file appears
  /// only when it is complete on disk. On failure, an old file stays unchanged, and no temporary file is
  /// left. Throws Error with the path and the system's reason; also if `name` is not a plain file name.
  std::filesystem::path write(const std::string& name, std::string_view content) const;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace gradus::plot
#pragma GCC visibility pop
