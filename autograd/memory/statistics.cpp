#include <gradus/autograd/memory.hpp>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "pool.hpp"
#include "runtime/runtime_state.hpp"

namespace gradus {

MemoryStats memory_stats() {
  const pool::Stats pool = pool::stats();
  return {.live_bytes = pool.live_bytes,
          .peak_bytes = pool.peak_bytes,
          .pooled_bytes = pool.pooled_bytes,
          .live_buffers = pool.live_buffers,
          .buffers_allocated = pool.buffers_allocated,
          .live_nodes = live_nodes.load(std::memory_order_relaxed)};
}

void release_pooled_memory() {
  pool::trim();
#if defined(__GLIBC__)
  malloc_trim(0);  // malloc has kept the memory of freed tape nodes
#endif
}

}  // namespace gradus
