#include <gradus/error.hpp>
#include <gradus/files/atomic.hpp>
#include <gradus/files/folder_lock.hpp>

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "descriptor.hpp"

namespace gradus::files {
namespace {

constexpr const char* name = ".gradus.lock";

// The process that holds a locked file, for messages. A process first locks the file, and then writes its id
// into the file, so the id may be missing.
std::string holder(const Descriptor& file) {
  std::array<char, 20> text{};
  const ssize_t length = ::pread(file, text.data(), text.size(), 0);
  if (length <= 0) return "another process";
  return "process " + std::string(text.data(), static_cast<std::size_t>(length));
}

// True if the previous holder removed the file between this process's open() and flock().
bool was_removed(const Descriptor& file) {
  struct stat status{};
  return ::fstat(file, &status) == 0 && status.st_nlink == 0;
}

// Writes this process's id. Ignores errors, because only messages use the id.
void write_number(const Descriptor& file) {
  const std::string number = std::to_string(::getpid());
  if (::ftruncate(file, 0) != 0 || ::pwrite(file, number.data(), number.size(), 0) < 0) return;
}

}  // namespace

struct FolderLock::Held {
  Descriptor folder, file;  // descriptors instead of paths, because the folder may be moved
};

FolderLock::FolderLock(std::string_view who, const std::filesystem::path& folder)
    : held_(std::make_unique<Held>()) {
  held_->folder = Descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (held_->folder < 0) refuse(who, "open folder", folder, errno);
  do {
    held_->file = Descriptor(::openat(held_->folder, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (held_->file < 0) refuse(who, "lock folder", folder, errno);
    if (::flock(held_->file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      throw Error(std::string(who) + ": '" + folder.string() + "' is in use by " + holder(held_->file) +
                  "; wait until it ends, or choose another folder");
    }
  } while (was_removed(held_->file));
  write_number(held_->file);
}

FolderLock::~FolderLock() { ::unlinkat(held_->folder, name, 0); }

}  // namespace gradus::files
