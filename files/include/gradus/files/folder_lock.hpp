#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#pragma GCC visibility push(default)
namespace gradus::files {

/// Exclusive lock of a folder among all processes. Locks the file `.gradus.lock` in the folder, which
/// contains the process id; the system releases the lock when the process ends. On file systems without
/// locks, every FolderLock succeeds.
class FolderLock {
 public:
  /// @throws Error "<who>: '<folder>' is in use by process 123; <what to do>", and the Error of refuse() if
  /// the file cannot be created.
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
