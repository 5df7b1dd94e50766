#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)
namespace gradus::plot {

/// The folder for a program's results: checked at once, so that a program fails before it trains and not
/// after, and written atomically, so that a file in it is always whole.
class OutputFolder {
 public:
  /// Creates the folder with its parents if need be, and proves that it can be written by writing and
  /// removing a file. Throws Error with the path, the system's reason and a way out.
  explicit OutputFolder(std::filesystem::path path);

  /// Puts `content` into the file `name` and returns its path. A file of this name is replaced. It appears
  /// under its name only once all of it is on the disk; upon failure the old file, if any, is as it was and
  /// nothing is left behind. Throws Error with the path and the system's reason; also if `name` is not a
  /// plain file name.
  std::filesystem::path write(const std::string& name, std::string_view content) const;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace gradus::plot
#pragma GCC visibility pop
