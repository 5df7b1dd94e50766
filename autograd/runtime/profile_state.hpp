#pragma once

#include <gradus/autograd/profile.hpp>

#include <cstddef>
#include <cstdint>

namespace gradus {

/// This thread's innermost Profile. Null if there is none: an operation then costs only one test more.
extern constinit thread_local Profile* profile;

/// Times a pass of `operation` on this thread, from construction to destruction. Nested operations are
/// included in this time, and not counted separately.
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

  const char* operation_ = nullptr;  // null if an outer operation is timed, or nothing
  Pass pass_ = Pass::forward;
  std::int64_t begin_ = 0;  // ns
};

/// Charges allocated bytes to this thread's current or next timed operation; an operation allocates its
/// result just before it is timed.
void profile_memory(std::size_t bytes);

}  // namespace gradus
