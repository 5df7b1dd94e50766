#pragma once

namespace gradus::tools {

/// While an object exists, the first Ctrl-C (SIGINT) or SIGTERM only sets a flag, so that the current step
/// can finish. A second one ends the process.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  bool requested() const;
};

}  // namespace gradus::tools
