#pragma once

#include <gradus/autograd/pack_weights.hpp>
#include <gradus/autograd/precision.hpp>
#include <gradus/autograd/scope.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace gradus {

extern std::atomic<std::int64_t> live_nodes;

class PackedWeights;

/// The state of a thread: its shelf in the pool, and settings that classes such as NoGrad and Scope change.
struct ThreadState {
  bool records = true;
  bool searches = false;
  bool fuses = true;
  Precision precision = Precision::f32;
  const ScopePath* scope;                   // initially the root
  PackedWeights* packed_weights = nullptr;  // packed weights of the outermost PackWeights
  std::size_t shelf = 0;                    // this thread's shelf in the memory pool
};
/// This thread's state.
ThreadState& thread_state();

/// Sets this thread's scope to `path`, and restores the previous scope when destroyed. A backward function
/// runs in the scope in which its operation was recorded.
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
