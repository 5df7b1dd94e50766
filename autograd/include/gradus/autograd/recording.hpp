#pragma once

#pragma GCC visibility push(default)
/// Whether this thread records operations on the tape.
namespace gradus {

/// While it lives, this thread's recording on the tape is on or off. Nests; exception-safe.
class Recording {
 public:
  explicit Recording(bool on);
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

 private:
  bool was_on_;
};
/// While it lives, this thread records no operations: results need no gradient.
struct NoGrad : Recording {
  NoGrad() : Recording(false) {}
};
/// While it lives, this thread records operations, inside a NoGrad too.
struct EnableGrad : Recording {
  EnableGrad() : Recording(true) {}
};
/// Whether this thread records operations on the tape; true by default.
bool is_recording();

}  // namespace gradus
#pragma GCC visibility pop
