#pragma once

#include <cstdint>

#pragma GCC visibility push(default)
namespace gradus {

/// Statistics of the tensors' memory. Freed buffers stay in a pool for later tensors of similar size. New
/// buffers are cut from mapped blocks of at least 16 MB. The pages of a block are committed on first write.
/// Adopted memory (adopt(), from_xtensor()) counts as live, but never enters the pool.
struct MemoryStats {
  std::int64_t live_bytes = 0;         ///< in use by tensors now
  std::int64_t peak_bytes = 0;         ///< the maximum of live_bytes so far
  std::int64_t pooled_bytes = 0;       ///< kept in the pool for later tensors
  std::int64_t live_buffers = 0;       ///< buffers in use now
  std::int64_t buffers_allocated = 0;  ///< blocks mapped since the start
  std::int64_t live_nodes = 0;         ///< recorded operations and leaves in memory now
};
MemoryStats memory_stats();

/// Returns pooled memory to the system, except pages that a buffer in use also occupies. With glibc, also
/// trims the heap, which holds the memory of freed tapes.
void release_pooled_memory();

}  // namespace gradus
#pragma GCC visibility pop
