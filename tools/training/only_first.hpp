#pragma once

#include <cstdint>
#include <iostream>
#include <sstream>

namespace gradus::tools {

/// In a job of several processes, lets only process 0 print. Has no effect in process 0.
///
/// In the other processes, discards standard output and buffers standard error. If such a process fails,
/// report() waits three seconds, because process 0 may report the same error and end the job. Then report()
/// prints the buffer's last line.
class OnlyFirst {
 public:
  explicit OnlyFirst(std::int64_t rank);
  ~OnlyFirst();
  OnlyFirst(const OnlyFirst&) = delete;
  OnlyFirst& operator=(const OnlyFirst&) = delete;

  void report() const;

 private:
  std::int64_t rank_;
  std::ostringstream out_, err_;
  std::streambuf *old_out_ = nullptr, *old_err_ = nullptr;
};

}  // namespace gradus::tools
