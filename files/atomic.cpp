#include <gradus/error.hpp>
#include <gradus/files/atomic.hpp>

#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <optional>
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
      return "free some space, or choose a folder on another disk";
    case EFBIG:
      return "raise the limit of this shell, 'ulimit -f', or choose another file system";
    case EMFILE:
    case ENFILE:
      return "close other programs, or raise the limit of this shell, 'ulimit -n'";
    case ENAMETOOLONG:
      return "choose a shorter name";
    case ENOTDIR:
    case EEXIST:
      return "part of the path is a file or a broken link; choose another path, or move the file";
    case EISDIR:
      return "a folder has this name; choose another name, or move the folder";
    case ELOOP:
      return "symbolic links form a cycle; remove one, or choose another name";
    case ENXIO:
      return "nothing reads from it; choose another name";
    case ENOENT:
      return "the folder does not exist; create it, or choose another";
    default:
      return "choose a folder that you can write to";
  }
}

constexpr std::string_view temporary_begin = ".gradus-", temporary_end = ".tmp";

bool is_temporary(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with(temporary_begin) && name.ends_with(temporary_end);
}

using Status = struct stat;

std::optional<Status> status_of(const fs::path& path) {
  Status found{};
  return ::stat(path.c_str(), &found) == 0 ? std::optional(found) : std::nullopt;
}

// STDOUT_FILENO if the file is the standard output (for example /dev/stdout), STDERR_FILENO if it is the
// standard error, otherwise −1.
int standard_stream(const Status& found) {
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
    Status open{};
    if (::fstat(stream, &open) == 0 && open.st_dev == found.st_dev && open.st_ino == found.st_ino)
      return stream;
  }
  return -1;
}

// True for a regular file that is not a standard stream: it is replaced by renaming. Also true for a folder:
// renaming a file to a folder's path fails, and the error says why.
bool is_replaced(const Status& found) {
  return (S_ISREG(found.st_mode) || S_ISDIR(found.st_mode)) && standard_stream(found) < 0;
}

// Opens `target` for writing in place if it is a device, pipe or standard stream. Otherwise returns a
// negative descriptor.
Descriptor open_kept(std::string_view who, const fs::path& target) {
  const std::optional<Status> found = status_of(target);
  if (!found || is_replaced(*found)) return Descriptor();
#if defined(F_DUPFD_CLOEXEC)  // not defined in WASI
  // Duplicates the stream, because opening it again by name may fail, or would write from the file's start.
  if (const int stream = standard_stream(*found); stream >= 0)
    return Descriptor(::fcntl(stream, F_DUPFD_CLOEXEC, 0));
#endif
  Descriptor file;
  do {
    file = Descriptor(::open(target.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC));
  } while (file < 0 && errno == EINTR);
  if (file < 0) refuse(who, "write to", target, errno);
  Status opened{};
  const bool replaced_meanwhile = ::fstat(file, &opened) != 0 || is_replaced(opened);
  return replaced_meanwhile ? Descriptor() : std::move(file);
}

// Follows symbolic links. The resulting path need not exist.
fs::path followed(std::string_view who, const fs::path& target) {
  constexpr int most_links = 40;  // the limit of Linux
  fs::path place = target;
  std::error_code no_link;
  for (int links = 0;; ++links) {
    const fs::path next = fs::read_symlink(place, no_link);
    if (no_link) return place;
    if (links == most_links) refuse(who, "write to", target, ELOOP);
    place = place.parent_path() / next;
  }
}

fs::path folder_of(const fs::path& file) { return file.has_parent_path() ? file.parent_path() : "."; }

// Returns 0, or errno if the content was not completely written.
int write_all(int file, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(file, content.data(), content.size());
    if (written > 0) {
      content.remove_prefix(static_cast<std::size_t>(written));
    } else if (written == 0 || errno != EINTR) {
      return written == 0 ? EIO : errno;
    }
  }
  return 0;
}

// A temporary file. The destructor removes the file unless it was renamed. The file stays locked while it is
// in use: sweep() removes only files without a lock.
class TemporaryFile {
 public:
  // Messages show the path `shown` instead of the temporary name.
  TemporaryFile(std::string_view who, const fs::path& folder, fs::path shown)
      : who_(who),
        shown_(std::move(shown)),
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
    if (const int reason = write_all(file_, content)) fail(reason);
  }

  // Renames the file to a path in the same folder. Flushes the file before the rename, and the folder after
  // it. Otherwise a crash could lose the content or undo the rename.
  void rename_to(const fs::path& path) {
    if (::fsync(file_) != 0) fail(errno);
    if (::renameat(folder_, name_.c_str(), folder_, path.filename().c_str()) != 0) fail(errno);
    name_.clear();
    // EINVAL means that the file system cannot flush folders.
    if (::fsync(folder_) != 0 && errno != EINVAL) refuse(who_, "flush folder", folder_of(path), errno);
  }

 private:
  // Locks the file. Returns true if sweep() removed the file before it could be locked.
  bool was_swept() const {
    while (::flock(file_, LOCK_EX) != 0) {
      if (errno != EINTR) return false;  // without file locks, sweep() removes nothing
    }
    struct stat status{};
    return ::fstat(file_, &status) == 0 && status.st_nlink == 0;
  }

  [[noreturn]] void fail(int reason) const { refuse(who_, "write to", shown_, reason); }

  std::string_view who_;
  fs::path shown_;
  Descriptor folder_;  // a descriptor instead of a path, because the folder may be moved
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
  if (const Descriptor kept = open_kept(who, target); kept >= 0) {
    for (const std::string_view piece : pieces)
      if (const int reason = write_all(kept, piece)) refuse(who, "write to", target, reason);
    return;
  }
  const fs::path place = followed(who, target);
  TemporaryFile file(who, folder_of(place), target);
  for (const std::string_view piece : pieces) file.write(piece);
  file.rename_to(place);
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

void check_target(std::string_view who, const fs::path& target) {
  const std::optional<Status> found = status_of(target);
  if (found && S_ISDIR(found->st_mode)) refuse(who, "write to", target, EISDIR);
  if (!found || is_replaced(*found)) {
    TemporaryFile(who, folder_of(followed(who, target)), target).write("may a file be written here?\n");
  } else if (standard_stream(*found) < 0 && ::access(target.c_str(), W_OK) != 0) {
    refuse(who, "write to", target, errno);
  }
}

void check_writable(std::string_view who, const fs::path& folder) {
  TemporaryFile(who, folder, folder).write("may this folder be written?\n");
}

}  // namespace gradus::files
