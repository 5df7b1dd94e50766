#pragma once

#include <unistd.h>
#include <utility>

namespace gradus::files {

/// Owns a file descriptor, which is negative if the file could not be opened.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }

  operator int() const { return fd_; }

 private:
  int fd_;
};

}  // namespace gradus::files
