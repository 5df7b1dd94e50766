#pragma once

#pragma GCC visibility push(default)
namespace gradus {

/// For the lifetime of a Composed, this thread runs each fused operation (fused.hpp) as a composition of
/// simple operations. This is slower, but every intermediate result can be inspected. Scopes may be nested.
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
