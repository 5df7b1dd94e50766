#pragma once

namespace gradus::tools {

/// How many bytes this process may still take: what the system has left (with swap), and the limits of the
/// process and of its container, whichever is least. Infinity where none of it is known.
double free_memory();

}  // namespace gradus::tools
