#pragma once

#pragma GCC visibility push(default)
namespace gradus {

/// For the lifetime of a Composed, this thread runs the fused operations (fused.hpp) as compositions of
/// simple operations. This is slower, but each step is a separate operation that can be inspected. Scopes may
/// be nested.
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
