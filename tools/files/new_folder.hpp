#pragma once

#include <gradus/plot/output.hpp>

#include <filesystem>
#include <vector>

namespace gradus::tools {

/// Those folders of a path that do not exist at construction. If one of them was created since and is empty,
/// the destructor removes it.
class MissingFolders {
 public:
  explicit MissingFolders(const std::filesystem::path& path);
  ~MissingFolders();
  MissingFolders(const MissingFolders&) = delete;
  MissingFolders& operator=(const MissingFolders&) = delete;

 private:
  std::vector<std::filesystem::path> missing_;  // innermost first
};

/// An output folder that disappears if nothing is written to it: the destructor removes the folders that the
/// constructor created, if they are empty.
class NewFolder : private MissingFolders, public plot::OutputFolder {
 public:
  explicit NewFolder(const std::filesystem::path& path) : MissingFolders(path), OutputFolder(path) {}
};

}  // namespace gradus::tools
