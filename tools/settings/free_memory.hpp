#pragma once

namespace gradus::tools {

/// Bytes this process may still allocate: the least of available memory with swap, the process's limit and
/// its container's limit. Infinity if all are unknown.
double free_memory();

}  // namespace gradus::tools
