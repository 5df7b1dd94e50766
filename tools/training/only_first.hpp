#pragma once

#include <cstdint>
#include <iostream>
#include <sstream>

namespace gradus::tools {

/// In a job of several processes, lets only process 0 print. Does nothing in process 0.
///
/// Buffers the standard error of other processes. If one fails, report() waits three seconds, in which
/// process 0 may report the same error and end the job, and then prints the last line of the buffer.
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
