#include "process.hpp"

#include <csignal>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace exercise {

void limit_time(unsigned seconds) { alarm(seconds); }

void limit_memory(unsigned mib) {
  const rlimit limit{rlim_t{mib} << 20, rlim_t{mib} << 20};
  setrlimit(RLIMIT_DATA, &limit);
}

End run_apart(const std::function<bool()>& check, unsigned seconds) {
  constexpr int exit_wrong = 7;
  constexpr unsigned patience = 20;  // allowed wall time per CPU time: on a busy machine, the child may wait
  const unsigned left = alarm(0);    // pauses the stage's limit; the child has its own limits
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGALRM, SIG_DFL);
    alarm(patience * seconds);  // ends a child that sleeps, and so uses no CPU time
    const rlimit stack{8 << 20, RLIM_INFINITY}, time{seconds, RLIM_INFINITY}, no_core{0, 0};
    setrlimit(RLIMIT_STACK, &stack);
    setrlimit(RLIMIT_CPU, &time);
    setrlimit(RLIMIT_CORE, &no_core);
    try {
      _exit(check() ? 0 : exit_wrong);
    } catch (...) {
      _exit(exit_wrong);
    }
  }
  int status = 0;
  waitpid(child, &status, 0);
  alarm(left);
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return signal == SIGXCPU || signal == SIGALRM ? End::endless : End::crashed;
  }
  if (WEXITSTATUS(status) == 0) return End::right;
  return WEXITSTATUS(status) == exit_wrong ? End::wrong : End::crashed;  // other codes come from sanitizers
}

}  // namespace exercise
