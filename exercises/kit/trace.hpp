#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// Stacks that show where the learner's code stopped. Addresses are relative to the program's load address,
/// as addr2line expects.
namespace exercise {

/// From now on, if a crash, SIGALRM or exit() ends the program, appends the cause and the stack to `file`.
/// The first line is "exit" or, for signal 11, "signal 11". If the stack has overflowed, the next line is
/// "overflow". Then each frame has a line "at 1a2b", innermost first. The signal still ends the program.
void trace_ends(const std::string& file);

/// Ends the tracing. Call allow_exit() before main() returns, so that a regular end leaves no record.
void allow_exit();

/// The stack at the throw of the exception being handled; empty if unknown.
std::vector<std::uintptr_t> thrown_from();

}  // namespace exercise
