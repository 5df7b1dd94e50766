#pragma once

#include <gradus/autograd/runtime.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace gradus {

extern std::atomic<std::int64_t> live_nodes;

class PackedWeights;

/// What the classes of runtime.hpp have switched on a thread.
struct ThreadState {
  bool records = true;
  bool searches = false;
  bool fuses = true;
  Precision precision = Precision::f32;
  const ScopePath* scope;                   // the root's at first
  PackedWeights* packed_weights = nullptr;  // of the outermost PackWeights
  std::size_t shelf = 0;                    // of the pool
};
/// This thread's.
ThreadState& thread_state();

/// While it lives, this thread is in the scope `path`: that of the operation whose backward function runs.
class InScope {
 public:
  explicit InScope(const ScopePath* path);
  ~InScope();
  InScope(const InScope&) = delete;
  InScope& operator=(const InScope&) = delete;

 private:
  const ScopePath* outer_;
};

}  // namespace gradus
