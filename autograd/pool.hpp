#pragma once

#include <cstddef>
#include <cstdint>

namespace gradus::pool {

/// 64-byte aligned memory.
struct Buffer {
  std::byte* data;
  std::size_t bytes;  // at least those that were asked for
};
/// Memory is reused: a freed buffer serves the next request of its size class, and a large one those of a
/// little less.
Buffer allocate(std::size_t bytes);
void free(Buffer buffer) noexcept;

/// Memory of others counts as live while tensors hold it; it never enters the pool.
void adopt(std::size_t bytes);
void disown(std::size_t bytes) noexcept;

struct Stats {
  std::int64_t live_bytes, peak_bytes, pooled_bytes, live_buffers, buffers_allocated;
};
Stats stats();
void trim();

}  // namespace gradus::pool
