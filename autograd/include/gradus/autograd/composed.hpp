#pragma once

#pragma GCC visibility push(default)
namespace gradus {

/// While it lives, the fused operations (fused.hpp) on this thread run as their twins, composed of simple
/// operations: slower, but each step is a separate operation that can be inspected. Nests.
class Composed {
 public:
  Composed();
  ~Composed();
  Composed(const Composed&) = delete;
  Composed& operator=(const Composed&) = delete;

 private:
  bool was_fused_;
};

}  // namespace gradus
#pragma GCC visibility pop
