#pragma once

namespace gradus::tools {

/// While a Signals exists, SIGTERM, SIGINT and SIGHUP do not end the process, but wait in a queue. Equal
/// signals that wait are one signal, as in the kernel. After its end, the process ignores these signals.
///
/// The signals have handlers, because blocking them with pthread_sigmask() does not suffice. OpenBLAS starts
/// its threads before main(), and the kernel delivers a blocked signal to a thread that does not block it.
class Signals {
 public:
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  /// Waits for a signal. Returns SIGHUP only while no other signal waits.
  int next();
};

}  // namespace gradus::tools
