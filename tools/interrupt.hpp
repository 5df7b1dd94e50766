#pragma once

namespace gradus::tools {

/// While it lives, Ctrl-C (SIGINT) and SIGTERM are noted and not obeyed, so that what is being done can be
/// finished. A second one is obeyed.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  bool requested() const;
};

}  // namespace gradus::tools
