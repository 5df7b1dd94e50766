#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace gradus::pool {

/// 64-byte aligned memory.
struct Buffer {
  std::byte* data;
  std::size_t bytes;      // at least those that were asked for
  std::size_t shelf = 0;  // where it is kept when it is free
};

/// Freed buffers wait on shelves, of which threads that work side by side have one each. So a shelf's
/// requests come in the same order every time, and it has what they ask for; and what a thread wrote stays in
/// its own cache.
constexpr std::size_t shelves = 8;
/// Memory is reused: a freed buffer serves the next request of its size class, and a large one, with its
/// neighbours, any that fit. A class with none free cuts one from a block, so that a sentence of another
/// length than those before seldom asks the system.
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

/// Unless it is 0, new buffers come filled with it: for tests that look for values read before written.
inline std::atomic<std::uint64_t> fill{0};

}  // namespace gradus::pool
