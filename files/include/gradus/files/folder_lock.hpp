#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#pragma GCC visibility push(default)
namespace gradus::files {

/// A folder for one writer at a time, among all processes. The file `.gradus.lock` in it is locked and names
/// the process; the system lets go of it when that ends, however it ends. On a file system without locks,
/// nothing is refused.
class FolderLock {
 public:
  /// @throws Error "<who>: '<folder>' is in use by process 123; <a way out>", and as refuse() when the file
  /// cannot be made.
  FolderLock(std::string_view who, const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  struct Held;
  std::unique_ptr<Held> held_;
};

}  // namespace gradus::files
#pragma GCC visibility pop
