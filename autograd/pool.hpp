#pragma once

#include <cstddef>
#include <cstdint>

namespace gradus::pool {

/// 64-byte aligned memory, reused: a freed buffer serves the next request of its size class.
std::byte* allocate(std::size_t bytes);
void free(std::byte* buffer, std::size_t bytes) noexcept;

/// Memory of others counts as live while tensors hold it; it never enters the pool.
void adopt(std::size_t bytes);
void disown(std::size_t bytes) noexcept;

struct Stats {
  std::int64_t live_bytes, peak_bytes, pooled_bytes, live_buffers, buffers_allocated;
};
Stats stats();
void trim();

}  // namespace gradus::pool
