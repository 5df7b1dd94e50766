#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace gradus::pool {

/// 64-byte aligned memory.
struct Buffer {
  std::byte* data;
  std::size_t bytes;      // at least the bytes requested
  std::size_t shelf = 0;  // the shelf to which the buffer returns
};

/// Free buffers are kept on shelves. If parallel_operations() uses several threads, work(i) uses shelf i
/// modulo the number of shelves. So each shelf gets the same sequence of requests in every training step, and
/// has buffers of the right sizes. A thread also gets back memory that is in its core's cache.
constexpr std::size_t shelves = 8;
/// Takes a free buffer of the request's size class. If there is none, or if the request is too large for a
/// class, takes the end of a free range (PageRanges). If no range is long enough, uses unused memory of the
/// newest block, or maps a new block. A block usually holds many buffers, so tensors of a new size rarely
/// need a system call. @throws Error if the system has no memory.
Buffer allocate(std::size_t bytes);
void free(Buffer buffer) noexcept;

/// Adopted memory counts as live while tensors hold it, and never enters the pool.
void adopt(std::size_t bytes);
void disown(std::size_t bytes) noexcept;

struct Stats {
  std::int64_t live_bytes, peak_bytes, pooled_bytes, live_buffers, buffers_allocated;
};
Stats stats();
void trim();

/// If not 0, allocate() fills every buffer with this value. Tests use it to detect reads of uninitialised
/// values.
inline std::atomic<std::uint64_t> fill{0};

}  // namespace gradus::pool
