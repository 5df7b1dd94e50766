#pragma once

namespace gradus::tools {

/// The number of bytes that this process may still allocate: the minimum of what the system has left
/// (memory and swap), what the process's limit leaves, and its container's whole limit. Infinity if all are
/// unknown.
double free_memory();

}  // namespace gradus::tools
