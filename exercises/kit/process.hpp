#pragma once

#include <functional>

/// Limits of time and memory, and child processes. A web page has none of these (web/wasi/checks.cpp). There,
/// the page ends a program that runs too long.
namespace exercise {

/// Ends the program by SIGALRM after `seconds`. 0 removes the limit.
void limit_time(unsigned seconds);

/// Limits the memory that the program can allocate.
void limit_memory(unsigned mib);

enum class End { right, wrong, endless, crashed };

/// Runs a check that may crash, with a stack of 8 MiB and at most `seconds` of CPU time. Returns `wrong` if
/// the check returns false or throws. Natively, the check runs in a child process. In a web page, the check
/// cannot be interrupted. If it returns too late, the result is `endless`.
End run_apart(const std::function<bool()>& check, unsigned seconds);

}  // namespace exercise
