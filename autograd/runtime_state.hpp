#pragma once

#include <gradus/autograd/runtime.hpp>

#include <atomic>
#include <cstdint>

namespace gradus {

extern std::atomic<std::int64_t> live_nodes;

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
