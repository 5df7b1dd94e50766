#include "training/interrupt.hpp"

#include <csignal>

namespace gradus::tools {
namespace {

volatile std::sig_atomic_t noted = 0, unread = 0;

void note(int signal) {
  noted = 1;
  if (signal == SIGPIPE) {
    unread = 1;
  } else {
    std::signal(signal, SIG_DFL);
  }
}

}  // namespace

Interrupt::Interrupt() {
  noted = 0;
  unread = 0;
  for (std::size_t i = 0; i < signals.size(); ++i) {
    before_[i] = std::signal(signals[i], note);
    if (before_[i] == SIG_IGN)
      // A signal that was ignored stays ignored, such as SIGHUP under nohup.
      std::signal(signals[i], SIG_IGN);
  }
}

Interrupt::~Interrupt() {
  for (std::size_t i = 0; i < signals.size(); ++i) std::signal(signals[i], before_[i]);
  if (unread != 0) std::signal(SIGPIPE, SIG_IGN);  // at exit, the streams try to write their buffers again
}

bool Interrupt::requested() const { return noted != 0; }

}  // namespace gradus::tools
