#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// Where the learner's code stopped: stacks of addresses, for addr2line. An address is relative to where the
/// program is loaded.
namespace exercise {

/// Appends to `file` how the program ends, if a signal or exit() ends it, and the stack at that point:
/// "signal 11", then "overflow" if the stack overflowed; or "exit". "at 1a2b" follows for each frame, the
/// innermost first. A signal still ends the program.
void trace_ends(const std::string& file);

/// From here on, exit() is not traced.
void allow_exit();

/// The stack where the exception was thrown that is being handled; empty if unknown.
std::vector<std::uintptr_t> thrown_from();

}  // namespace exercise
