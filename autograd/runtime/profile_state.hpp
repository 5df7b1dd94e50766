#pragma once

#include <gradus/autograd/profile.hpp>

#include <cstddef>
#include <cstdint>

namespace gradus {

/// The innermost Profile of this thread; null when none is on, and then all this costs one test.
extern constinit thread_local Profile* profile;

/// Times what this thread does as a pass of `operation`, as long as it lives. What runs inside counts as its
/// own work, and not again.
class Profiled {
 public:
  enum class Pass { forward, backward };

  Profiled(const char* operation, Pass pass) {
    if (profile != nullptr) start(operation, pass);
  }
  ~Profiled() {
    if (operation_ != nullptr) stop();
  }
  Profiled(const Profiled&) = delete;
  Profiled& operator=(const Profiled&) = delete;

 private:
  void start(const char* operation, Pass pass);
  void stop();

  const char* operation_ = nullptr;  // null: another is being timed already
  Pass pass_ = Pass::forward;
  std::int64_t begin_ = 0;  // ns
};

/// Notes that this thread has taken memory for a tensor; it is put down to the operation that is timed now,
/// or next: an operation makes its result just before it fills it.
void profile_memory(std::size_t bytes);

}  // namespace gradus
