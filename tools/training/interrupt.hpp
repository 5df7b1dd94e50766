#pragma once

#include <array>
#include <csignal>

namespace gradus::tools {

/// While an Interrupt exists, the first SIGINT (Ctrl-C), SIGTERM, SIGHUP (a closed terminal) or SIGPIPE
/// (nobody reads the output) only sets a flag, so that the current step can finish. A second signal of the
/// same kind ends the process. SIGPIPE never ends the process, because a closed pipe raises it at each write.
/// Ignored signals stay ignored.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  bool requested() const;

 private:
  static constexpr std::array signals{SIGINT, SIGTERM, SIGHUP, SIGPIPE};
  std::array<void (*)(int), signals.size()> before_{};
};

}  // namespace gradus::tools
