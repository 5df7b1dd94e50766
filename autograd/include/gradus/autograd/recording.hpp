#pragma once

#pragma GCC visibility push(default)
/// Whether this thread records operations on the tape.
namespace gradus {

/// Sets whether this thread records operations on the tape. The destructor restores the previous setting.
/// Scopes may be nested.
class Recording {
 public:
  explicit Recording(bool on);
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

 private:
  bool was_on_;
};
/// Turns recording off for this thread, as Recording(false) does. Results then need no gradient.
struct NoGrad : Recording {
  NoGrad() : Recording(false) {}
};
/// Turns recording on for this thread, as Recording(true) does, even inside a NoGrad.
struct EnableGrad : Recording {
  EnableGrad() : Recording(true) {}
};
/// True if this thread records operations on the tape, as every new thread does.
bool is_recording();

}  // namespace gradus
#pragma GCC visibility pop
