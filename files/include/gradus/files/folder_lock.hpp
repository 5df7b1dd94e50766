#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#pragma GCC visibility push(default)
namespace gradus::files {

/// Locks a folder for one process. The lock is on the file `.gradus.lock` in the folder. This file contains
/// the process id. The system releases the lock when the process ends. On file systems without locks, every
/// FolderLock succeeds.
class FolderLock {
 public:
  /// @throws Error "<who>: '<folder>' is in use by process 123; <what to do>". If the folder or
  /// `.gradus.lock` cannot be opened, throws the Error of refuse().
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
