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
      : who_(who), target_(std::move(target)) {
    static std::atomic<unsigned> count{0};
    do {
      if (fd_ >= 0) ::close(fd_);
      path_ = folder / (std::string(temporary_begin) + std::to_string(::getpid()) + "-" +
                        std::to_string(count++) + std::string(temporary_end));
      fd_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (fd_ < 0 ? errno == EEXIST || errno == EINTR : was_swept());
    if (fd_ < 0) fail(errno);
  }

  ~TemporaryFile() {
    if (fd_ >= 0) ::close(fd_);
    if (!path_.empty()) ::unlink(path_.c_str());
  }

  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  // On the disk when it returns, or an Error.
  void write(std::string_view content) {
    while (!content.empty()) {
      const ssize_t written = ::write(fd_, content.data(), content.size());
      if (written > 0) {
        content.remove_prefix(static_cast<std::size_t>(written));
      } else if (written == 0 || errno != EINTR) {
        fail(written == 0 ? EIO : errno);
      }
    }
    if (::fsync(fd_) != 0) fail(errno);
  }

  void rename_to_target() {
    if (::rename(path_.c_str(), target_.c_str()) != 0) fail(errno);
    path_.clear();
  }

 private:
  // Locks the file; whether another has removed it before.
  bool was_swept() const {
    ::flock(fd_, LOCK_EX);  // a file system without locks is one without sweeping
    struct stat status {};
    return ::fstat(fd_, &status) == 0 && status.st_nlink == 0;
  }

  [[noreturn]] void fail(int reason) const { refuse(who_, "write to", target_, reason); }

  std::string_view who_;
  fs::path path_, target_;
  int fd_ = -1;
};

// A rename is lasting only once the folder itself is on the disk.
void sync_folder(std::string_view who, const fs::path& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) refuse(who, "flush folder", folder, errno);
  const int reason = ::fsync(fd) == 0 ? 0 : errno;
  ::close(fd);
  if (reason != 0 && reason != EINVAL)
    refuse(who, "flush folder", folder, reason);  // EINVAL: this file system has no such thing
}

}  // namespace

void refuse(std::string_view who, std::string_view action, const fs::path& path, int reason) {
  throw Error(std::string(who) + ": cannot " + std::string(action) + " '" + path.string() +
              "': " + std::generic_category().message(reason) + "; " + way_out(reason));
}

void write_atomically(std::string_view who, const fs::path& target, std::string_view content) {
  const fs::path folder = target.has_parent_path() ? target.parent_path() : ".";
  TemporaryFile file(who, folder, target);
  file.write(content);
  file.rename_to_target();
  sync_folder(who, folder);
}

void sweep(const fs::path& folder) {
  std::error_code ignored;
  for (fs::directory_iterator at(folder, ignored), end; at != end; at.increment(ignored)) {
    const fs::path& path = at->path();
    if (!is_temporary(path)) continue;
    const int fd = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) continue;
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) ::unlink(path.c_str());
    ::close(fd);
  }
}

void check_writable(std::string_view who, const fs::path& folder) {
  TemporaryFile(who, folder, folder).write("may this folder be written?\n");
}

}  // namespace gradus::files
