#pragma once

#include <functional>

/// Limits and child processes. A web page (web/wasi/checks.cpp) has neither: the page ends a program that
/// runs too long.
namespace exercise {

/// Ends the program by SIGALRM after `seconds`; 0 removes the limit.
void limit_time(unsigned seconds);

/// Limits the memory that the program can allocate.
void limit_memory(unsigned mib);

enum class End { right, wrong, endless, crashed };

/// Runs a check that may crash, with a stack of 8 MiB and a limit in seconds of CPU time. `wrong` if it
/// returns false or throws. Natively, it runs in a child process; in a page, a check that returns late is
/// `endless`.
End run_apart(const std::function<bool()>& check, unsigned seconds);

}  // namespace exercise
