#include <gradus/error.hpp>
#include <gradus/plot/output.hpp>

#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "unicode.hpp"

namespace gradus::plot {
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

[[noreturn]] void fail(const std::string& action, const fs::path& path, int reason) {
  throw Error("OutputFolder: cannot " + action + " '" + path.string() +
              "': " + std::generic_category().message(reason) + "; " + way_out(reason));
}

// A file in the folder that is gone at the end, unless it was renamed.
class TemporaryFile {
 public:
  // `target` is the path in messages: the temporary name means nothing to a user.
  TemporaryFile(const fs::path& folder, fs::path target) : target_(std::move(target)) {
    static std::atomic<unsigned> count{0};
    do {
      path_ = folder / (".gradus-" + std::to_string(::getpid()) + "-" + std::to_string(count++) + ".tmp");
      fd_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (fd_ < 0 && (errno == EEXIST || errno == EINTR));
    if (fd_ < 0) fail("write to", target_, errno);
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
        fail("write to", target_, written == 0 ? EIO : errno);
      }
    }
    if (::fsync(fd_) != 0) fail("write to", target_, errno);
    if (::close(std::exchange(fd_, -1)) != 0 && errno != EINTR) fail("write to", target_, errno);
  }

  void rename_to_target() {
    if (::rename(path_.c_str(), target_.c_str()) != 0) fail("write to", target_, errno);
    path_.clear();
  }

 private:
  fs::path path_, target_;
  int fd_ = -1;
};

// A rename is lasting only once the folder itself is on the disk.
void sync_folder(const fs::path& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) fail("flush folder", folder, errno);
  const int reason = ::fsync(fd) == 0 ? 0 : errno;
  ::close(fd);
  if (reason != 0 && reason != EINVAL)
    fail("flush folder", folder, reason);  // EINVAL: this file system has no such thing
}

}  // namespace

OutputFolder::OutputFolder(fs::path path) : path_(std::move(path)) {
  if (path_.empty())
    throw Error("OutputFolder: the path is empty; name a folder, or '.' for the current one");
  std::error_code error;
  fs::create_directories(path_, error);
  if (error) fail("create folder", path_, error.value());
  TemporaryFile(path_, path_).write("may this folder be written?\n");
}

fs::path OutputFolder::write(const std::string& name, std::string_view content) const {
  if (name.empty() || name == "." || name == ".." ||
      name.find_first_of(std::string_view("/\0", 2)) != name.npos) {
    throw Error("OutputFolder: '" + one_line(name) + "' is no plain file name for folder '" + path_.string() +
                "'; give one without '/'");
  }
  const fs::path target = path_ / name;
  TemporaryFile file(path_, target);
  file.write(content);
  file.rename_to_target();
  sync_folder(path_);
  return target;
}

}  // namespace gradus::plot
