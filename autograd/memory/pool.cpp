#include "pool.hpp"

#include <gradus/autograd/scope.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#include "pages.hpp"
#include "runtime/runtime_state.hpp"
#include "sanitizers.hpp"

namespace gradus::pool {
namespace {

constexpr std::size_t alignment = 64;

// There are eight size classes between two successive powers of two, so tensors of similar size share a
// class. For each power of two P ≥ 512, the classes have buffers of P · (8 + k) / 8 bytes, 1 ≤ k ≤ 8. Smaller
// buffers are multiples of 64 bytes. The unused part of a buffer is less than an eighth of the buffer, or
// less than 64 bytes in a small buffer.
struct SizeClass {
  std::size_t index;
  std::size_t bytes;
};

SizeClass size_class(std::size_t bytes) {
  const std::size_t units = std::max<std::size_t>((bytes + alignment - 1) / alignment, 1);
  if (units <= 8) return {units - 1, units * alignment};
  const auto shift =
      static_cast<std::size_t>(std::bit_width(units - 1)) - 4;  // so that (units - 1) >> shift is in [8, 16)
  const std::size_t eighths = ((units - 1) >> shift) + 1;       // in (8, 16]
  return {shift * 8 + eighths - 1, (eighths << shift) * alignment};
}

// Buffers above this size have no class. The sizes of large tensors depend on the sequence lengths of each
// batch. If large buffers had classes, the pool would keep many times the memory that is in use at once.
constexpr std::size_t largest_class = 1 << 20;

// A free buffer begins with the link to the next free buffer of its class.
struct Unused {
  Unused* next;
  std::size_t bytes;
};

// A spin lock, which costs half as much as a mutex. Spinning is acceptable, because the lock is held briefly
// and rarely contended.
class Lock {
 public:
  void lock() {
    while (held_.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
  }
  void unlock() { held_.clear(std::memory_order_release); }

 private:
  std::atomic_flag held_;
};

struct Shelf {
  std::array<Unused*, 128> unused{};  // by class
  PageRanges small{false};            // source of buffers with a class
  PageRanges large{true};             // source of buffers without a class
};

struct Pool {
  Lock mutex;
  std::array<Shelf, shelves> shelf{};
  Stats stats{};  // pooled_bytes excludes free ranges, buffers_allocated excludes mapped blocks
};

// Never destroyed, because tensors with static lifetime may be destroyed later.
Pool& the_pool() {
  static Pool* const pool = new Pool;
  return *pool;
}

bool is_large(std::size_t bytes) { return bytes > largest_class; }

// The size of the buffer for a request.
std::size_t granted(std::size_t bytes) {
  return is_large(bytes) ? PageRanges::whole(bytes) : size_class(bytes).bytes;
}

// Adds `buffers`, which may be negative, to the number of buffers in use. The caller holds the mutex.
void count(Stats& stats, std::int64_t buffers, std::size_t bytes_each) {
  stats.live_buffers += buffers;
  stats.live_bytes += buffers * static_cast<std::int64_t>(bytes_each);
  stats.peak_bytes = std::max(stats.peak_bytes, stats.live_bytes);
}

// The caller of take() and empty() holds the mutex. take() gets only sizes that granted() has returned.

// Takes a buffer from a shelf. Returns null if no buffer is free and the system has no memory.
std::byte* take(Pool& pool, Shelf& shelf, std::size_t bytes) {
  if (sanitized) {  // sanitizers track single allocations, so nothing is pooled
    ++pool.stats.buffers_allocated;
    return static_cast<std::byte*>(::operator new(bytes, std::align_val_t{alignment}, std::nothrow));
  }
  if (!is_large(bytes)) {
    if (Unused*& first = shelf.unused[size_class(bytes).index]; first != nullptr) {
      pool.stats.pooled_bytes -= static_cast<std::int64_t>(bytes);
      return reinterpret_cast<std::byte*>(std::exchange(first, first->next));
    }
  }
  PageRanges& ranges = is_large(bytes) ? shelf.large : shelf.small;
  std::byte* const waiting = ranges.take(bytes);
  return waiting != nullptr ? waiting : ranges.lengthen(bytes);
}

void empty(Pool& pool) noexcept {
  for (Shelf& shelf : pool.shelf) {
    for (Unused*& first : shelf.unused) {
      while (first != nullptr) {
        Unused* const buffer = std::exchange(first, first->next);
        shelf.small.put(reinterpret_cast<std::byte*>(buffer), buffer->bytes);
      }
    }
    shelf.small.unmap();
    shelf.large.unmap();
  }
  pool.stats.pooled_bytes = 0;
}

}  // namespace

Buffer allocate(std::size_t wanted) {
  const std::size_t bytes = granted(wanted);
  Pool& pool = the_pool();
  const std::lock_guard lock(pool.mutex);
  const std::size_t number = thread_state().shelf;
  Shelf& shelf = pool.shelf[number];
  std::byte* buffer = take(pool, shelf, bytes);
  if (buffer == nullptr) {
    empty(pool);
    buffer = take(pool, shelf, bytes);
  }
  if (buffer == nullptr) {
    fail("memory", "cannot allocate ", bytes, " bytes for a tensor; other tensors use ",
         pool.stats.live_bytes, " bytes");
  }
  count(pool.stats, 1, bytes);
  if (const std::uint64_t value = fill.load(std::memory_order_relaxed); value != 0)
    std::fill_n(reinterpret_cast<std::uint64_t*>(buffer), bytes / sizeof value, value);
  return {buffer, bytes, number};
}

void free(Buffer buffer) noexcept {
  Pool& pool = the_pool();
  const std::lock_guard lock(pool.mutex);
  count(pool.stats, -1, buffer.bytes);
  if (sanitized) return ::operator delete(buffer.data, std::align_val_t{alignment});
  Shelf& shelf = pool.shelf[buffer.shelf];
  if (is_large(buffer.bytes)) return shelf.large.put(buffer.data, buffer.bytes);
  pool.stats.pooled_bytes += static_cast<std::int64_t>(buffer.bytes);
  Unused*& first = shelf.unused[size_class(buffer.bytes).index];
  first = ::new (buffer.data) Unused{first, buffer.bytes};
}

void adopt(std::size_t bytes) {
  Pool& pool = the_pool();
  const std::lock_guard lock(pool.mutex);
  count(pool.stats, 1, bytes);
}

void disown(std::size_t bytes) noexcept {
  Pool& pool = the_pool();
  const std::lock_guard lock(pool.mutex);
  count(pool.stats, -1, bytes);
}

Stats stats() {
  Pool& pool = the_pool();
  const std::lock_guard lock(pool.mutex);
  Stats stats = pool.stats;
  for (const Shelf& shelf : pool.shelf) {
    for (const PageRanges* ranges : {&shelf.small, &shelf.large}) {
      stats.pooled_bytes += static_cast<std::int64_t>(ranges->waiting());
      stats.buffers_allocated += ranges->blocks();
    }
  }
  return stats;
}

void trim() {
  Pool& pool = the_pool();
  const std::lock_guard lock(pool.mutex);
  empty(pool);
}

}  // namespace gradus::pool
