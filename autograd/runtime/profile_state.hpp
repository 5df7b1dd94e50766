#pragma once

#include <gradus/autograd/profile.hpp>

#include <cstddef>
#include <cstdint>

namespace gradus {

/// This thread's innermost Profile, or null. Without a Profile, an operation costs only one extra test.
extern constinit thread_local Profile* profile;

/// Times a pass of `operation` on this thread, from construction to destruction. The time includes nested
/// operations, which are not counted separately.
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

  const char* operation_ = nullptr;  // null if there is no Profile or an outer operation is timed
  Pass pass_ = Pass::forward;
  std::int64_t begin_ = 0;  // ns
};

/// Counts `bytes` as allocated by the operation that this thread is timing. If there is none, counts them for
/// the next operation, because an operation allocates its result just before its time starts.
void profile_memory(std::size_t bytes);

}  // namespace gradus
