#pragma once

namespace gradus::tools {

/// The number of bytes that this process may still allocate: the minimum of the available memory with swap,
/// the process's limit and its container's limit. Infinity if all are unknown.
double free_memory();

}  // namespace gradus::tools
