#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// Where the learner's code stopped: stacks of addresses, for addr2line, relative to the program's load
/// address.
namespace exercise {

/// From here on, if a signal or exit() ends the program, appends the cause and the stack to `file`: the line
/// "signal 11", then "overflow" if the stack overflowed; or the line "exit". A line "at 1a2b" follows for
/// each frame, the innermost first. The signal still ends the program.
void trace_ends(const std::string& file);

/// Ends the tracing, for the regular end of main().
void allow_exit();

/// The stack at the throw of the exception that is being handled; empty if unknown.
std::vector<std::uintptr_t> thrown_from();

}  // namespace exercise
