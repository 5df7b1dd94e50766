#include "pool.hpp"

#include <gradus/autograd/runtime.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#include "pages.hpp"
#include "runtime_state.hpp"
#include "sanitizers.hpp"

namespace gradus::pool {
namespace {

constexpr std::size_t alignment = 64;

// Eight classes a doubling: at most an eighth of a buffer is unused, and sequences of about the same length
// share classes. Class k of a doubling that starts at `base` holds base · (8 + k) / 8 bytes.
struct SizeClass {
  std::size_t index;
  std::size_t bytes;
};

SizeClass size_class(std::size_t bytes) {
  const std::size_t units = std::max<std::size_t>((bytes + alignment - 1) / alignment, 1);
  if (units <= 8) return {units - 1, units * alignment};
  const auto shift =
      static_cast<std::size_t>(std::bit_width(units - 1)) - 4;  // so that units - 1 >> shift is in [8, 16)
  const std::size_t eighths = ((units - 1) >> shift) + 1;       // in (8, 16]
  return {shift * 8 + eighths - 1, (eighths << shift) * alignment};
}

// A larger buffer is a range of pages (pages.hpp): the lengths of sequences, and with them the sizes of such
// buffers, differ from batch to batch, and a class for each would keep many times what is in use at once.
constexpr std::size_t largest_class = 1 << 20;

// An unused buffer holds the link to the next of its class.
struct Unused {
  Unused* next;
};

// Held for a few instructions mostly, by threads that seldom meet: half the price of a mutex.
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
  PageRanges pages;
};

struct Pool {
  Lock mutex;
  std::array<Shelf, shelves> shelf{};
  Stats stats{};  // pooled_bytes without those of pages
};

// Never destroyed: tensors with static lifetime may outlive any order of destruction.
Pool& the_pool() {
  static Pool* const pool = new Pool;
  return *pool;
}

bool is_paged(std::size_t bytes) { return !sanitized && bytes > largest_class; }

// What a request for so many gets.
std::size_t granted(std::size_t bytes) {
  return is_paged(bytes) ? PageRanges::whole(bytes) : size_class(bytes).bytes;
}

// `buffers` more in use, or fewer; the caller holds the mutex.
void count(Stats& stats, std::int64_t buffers, std::size_t bytes_each) {
  stats.live_buffers += buffers;
  stats.live_bytes += buffers * static_cast<std::int64_t>(bytes_each);
  stats.peak_bytes = std::max(stats.peak_bytes, stats.live_bytes);
}

// These three are for the holder of the mutex, and for what granted() says.

std::byte* unused(Pool& pool, Shelf& shelf, std::size_t bytes) {
  std::byte* found = nullptr;
  if (sanitized) {
    // Nothing is kept.
  } else if (is_paged(bytes)) {
    found = shelf.pages.take(bytes);
  } else if (Unused*& first = shelf.unused[size_class(bytes).index]; first != nullptr) {
    found = reinterpret_cast<std::byte*>(std::exchange(first, first->next));
    pool.stats.pooled_bytes -= static_cast<std::int64_t>(bytes);
  }
  return found;
}

// Null when the system has no more.
std::byte* from_system(Shelf& shelf, std::size_t bytes) {
  if (is_paged(bytes)) return shelf.pages.map(bytes);
  return static_cast<std::byte*>(::operator new (bytes, std::align_val_t{alignment}, std::nothrow));
}

void empty(Pool& pool) {
  for (Shelf& shelf : pool.shelf) {
    shelf.pages.unmap();
    for (Unused*& first : shelf.unused) {
      while (first != nullptr)
        ::operator delete (std::exchange(first, first->next), std::align_val_t{alignment});
    }
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
  std::byte* buffer = unused(pool, shelf, bytes);
  if (buffer == nullptr) {
    buffer = from_system(shelf, bytes);
    if (buffer == nullptr) {
      empty(pool);
      buffer = from_system(shelf, bytes);
    }
    if (buffer == nullptr) {
      fail("memory", "the system has no ", bytes, " bytes for one tensor; ", pool.stats.live_bytes,
           " bytes are in use by others");
    }
    ++pool.stats.buffers_allocated;
  }
  count(pool.stats, 1, bytes);
  return {buffer, bytes, number};
}

void free(Buffer buffer) noexcept {
  Pool& pool = the_pool();
  const std::lock_guard lock(pool.mutex);
  count(pool.stats, -1, buffer.bytes);
  if (sanitized) return ::operator delete (buffer.data, std::align_val_t{alignment});
  Shelf& shelf = pool.shelf[buffer.shelf];
  if (is_paged(buffer.bytes)) return shelf.pages.put(buffer.data, buffer.bytes);
  pool.stats.pooled_bytes += static_cast<std::int64_t>(buffer.bytes);
  Unused*& first = shelf.unused[size_class(buffer.bytes).index];
  first = ::new (buffer.data) Unused{first};
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
    stats.pooled_bytes += static_cast<std::int64_t>(shelf.pages.waiting());
  }
  return stats;
}

void trim() {
  Pool& pool = the_pool();
  const std::lock_guard lock(pool.mutex);
  empty(pool);
}

}  // namespace gradus::pool
