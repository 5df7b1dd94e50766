#pragma once

namespace gradus::tools {

/// The number of bytes that this process may still allocate. It is the minimum of three numbers: the system's
/// available memory and swap, the rest of the process's address-space limit, and the container's memory limit
/// (without subtracting the container's current usage). Infinity if all are unknown.
double free_memory();

}  // namespace gradus::tools
