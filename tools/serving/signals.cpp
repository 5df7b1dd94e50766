#include "serving/signals.hpp"

#include <gradus/autograd/checks.hpp>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace gradus::tools {
namespace {

constexpr std::array handled{SIGTERM, SIGINT, SIGHUP};
std::array<std::atomic<bool>, handled.size()> waiting;
static_assert(std::atomic<bool>::is_always_lock_free);  // a signal handler must not wait for a lock
std::array<int, 2> wake_up{-1, -1};                     // a pipe, which ends the read() of next()

void note(int signal) {
  const int before = errno;
  for (std::size_t i = 0; i < handled.size(); ++i) {
    if (handled[i] == signal) waiting[i] = true;
  }
  [[maybe_unused]] const auto written = ::write(wake_up[1], "", 1);  // a full pipe wakes next(), too
  errno = before;
}

}  // namespace

Signals::Signals() {
  if (::pipe(wake_up.data()) != 0) fail("serve", "cannot open a pipe: ", std::strerror(errno));
  for (const int end : wake_up) ::fcntl(end, F_SETFD, FD_CLOEXEC);
  ::fcntl(wake_up[1], F_SETFL, O_NONBLOCK);
  for (const int signal : handled) std::signal(signal, note);
}

Signals::~Signals() {
  // The process is about to end. Another signal must not change its exit status.
  for (const int signal : handled) std::signal(signal, SIG_IGN);
  for (const int end : wake_up) ::close(end);
}

int Signals::next() {
  while (true) {
    for (std::size_t i = 0; i < handled.size(); ++i) {
      if (waiting[i].exchange(false)) return handled[i];
    }
    char byte = 0;
    [[maybe_unused]] const auto got = ::read(wake_up[0], &byte, 1);
  }
}

}  // namespace gradus::tools
