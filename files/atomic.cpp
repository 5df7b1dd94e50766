#include <gradus/error.hpp>
#include <gradus/files/atomic.hpp>

#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "descriptor.hpp"

namespace gradus::files {
namespace {

namespace fs = std::filesystem;

std::string way_out(int reason) {
  switch (reason) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return "free some space, or choose a folder on another disk";
    case ENOTDIR:
    case EEXIST:
      return "part of the path is a file; choose another path, or move that file away";
    case EISDIR:
      return "a folder has this name; choose another name, or move it away";
    case ENOENT:
      return "the folder is gone or was never there; create it, or choose another";
    default:
      return "choose a folder that you may write to";
  }
}

constexpr std::string_view temporary_begin = ".gradus-", temporary_end = ".tmp";

bool is_temporary(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with(temporary_begin) && name.ends_with(temporary_end);
}

// A file in the folder that is gone at the end, unless it was renamed. It stays locked until then, or until
// its writer dies, which is how sweep() knows.
class TemporaryFile {
 public:
  // `target` is the path in messages: the temporary name means nothing to a user.
  TemporaryFile(std::string_view who, const fs::path& folder, fs::path target)
      : who_(who),
        target_(std::move(target)),
        folder_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (folder_ < 0) fail(errno);
    static std::atomic<unsigned> count{0};
    do {
      name_ = std::string(temporary_begin) + std::to_string(::getpid()) + "-" + std::to_string(count++) +
              std::string(temporary_end);
      file_ = Descriptor(::openat(folder_, name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    } while (file_ < 0 ? errno == EEXIST || errno == EINTR : was_swept());
    if (file_ < 0) fail(errno);
  }

  ~TemporaryFile() {
    if (file_ >= 0 && !name_.empty()) ::unlinkat(folder_, name_.c_str(), 0);
  }

  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  void write(std::string_view content) {
    while (!content.empty()) {
      const ssize_t written = ::write(file_, content.data(), content.size());
      if (written > 0) {
        content.remove_prefix(static_cast<std::size_t>(written));
      } else if (written == 0 || errno != EINTR) {
        fail(written == 0 ? EIO : errno);
      }
    }
  }

  // On the disk when it returns, or an Error. A rename is lasting only once the folder itself is on the disk.
  void rename_to_target() {
    if (::fsync(file_) != 0) fail(errno);
    if (::renameat(folder_, name_.c_str(), folder_, target_.filename().c_str()) != 0) fail(errno);
    name_.clear();
    // EINVAL: this file system has no such thing
    if (::fsync(folder_) != 0 && errno != EINVAL) refuse(who_, "flush folder", target_.parent_path(), errno);
  }

 private:
  // Locks the file; whether another has removed it before.
  bool was_swept() const {
    ::flock(file_, LOCK_EX);  // a file system without locks is one without sweeping
    struct stat status {};
    return ::fstat(file_, &status) == 0 && status.st_nlink == 0;
  }

  [[noreturn]] void fail(int reason) const { refuse(who_, "write to", target_, reason); }

  std::string_view who_;
  fs::path target_;
  Descriptor folder_;  // not its path: it may be moved meanwhile
  std::string name_;
  Descriptor file_;
};

}  // namespace

void refuse(std::string_view who, std::string_view action, const fs::path& path, int reason) {
  throw Error(std::string(who) + ": cannot " + std::string(action) + " '" + path.string() +
              "': " + std::generic_category().message(reason) + "; " + way_out(reason));
}

void write_atomically(std::string_view who, const fs::path& target,
                      std::span<const std::string_view> pieces) {
  const fs::path folder = target.has_parent_path() ? target.parent_path() : ".";
  TemporaryFile file(who, folder, target);
  for (const std::string_view piece : pieces) file.write(piece);
  file.rename_to_target();
}

void write_atomically(std::string_view who, const fs::path& target, std::string_view content) {
  write_atomically(who, target, std::span(&content, 1));
}

void sweep(const fs::path& folder) {
  std::error_code ignored;
  for (fs::directory_iterator at(folder, ignored), end; at != end; at.increment(ignored)) {
    const fs::path& path = at->path();
    if (!is_temporary(path)) continue;
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (file >= 0 && ::flock(file, LOCK_EX | LOCK_NB) == 0) ::unlink(path.c_str());
  }
}

void check_writable(std::string_view who, const fs::path& folder) {
  TemporaryFile(who, folder, folder).write("may this folder be written?\n");
}

}  // namespace gradus::files
