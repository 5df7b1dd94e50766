#include "pool.hpp"

#include <gradus/autograd/runtime.hpp>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

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

std::size_t bytes_of_class(std::size_t index) {
  return index < 8 ? (index + 1) * alignment : ((index % 8 + 9) << (index / 8 - 1)) * alignment;
}

// The lengths of sequences, and so the sizes of buffers, differ a little from batch to batch. A request of at
// least this size is served by an unused buffer of up to two classes above, a quarter larger; and one that is
// as much too small is given back to the system before a new one is taken.
constexpr std::size_t large = 1 << 20;
constexpr std::size_t neighbours = 2;

// A sanitizer must see every allocation as its own, to find what reads past or after it.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool reuse = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool reuse = false;
#else
constexpr bool reuse = true;
#endif
#else
constexpr bool reuse = true;
#endif

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

struct Pool {
  Lock mutex;
  std::array<Unused*, 512> unused{};  // by class
  Stats stats{};
};

// Never destroyed: tensors with static lifetime may outlive any order of destruction.
Pool& the_pool() {
  static Pool* const pool = new Pool;
  return *pool;
}

// Large buffers are the system's own pages where that can be had: what is given back is then gone, whatever
// lies beside it. Null when the system has no more.
void* take(std::size_t bytes) {
#if defined(__linux__)
  if (reuse && bytes >= large) {
    void* const pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return pages == MAP_FAILED ? nullptr : pages;
  }
#endif
  return ::operator new (bytes, std::align_val_t{alignment}, std::nothrow);
}
void give_back(void* buffer, std::size_t bytes) {
#if defined(__linux__)
  if (reuse && bytes >= large) return void(munmap(buffer, bytes));
#endif
  ::operator delete (buffer, std::align_val_t{alignment});
}

// `buffers` more in use, or fewer; the caller holds the mutex.
void count(Stats& stats, std::int64_t buffers, std::size_t bytes_each) {
  stats.live_buffers += buffers;
  stats.live_bytes += buffers * static_cast<std::int64_t>(bytes_each);
  stats.peak_bytes = std::max(stats.peak_bytes, stats.live_bytes);
}

// An unused buffer of a class that has one; the caller holds the mutex.
void* pop(Pool& pool, std::size_t index) {
  pool.stats.pooled_bytes -= static_cast<std::int64_t>(bytes_of_class(index));
  return std::exchange(pool.unused[index], pool.unused[index]->next);
}

// Gives the unused buffers of a class back to the system; the caller holds the mutex.
void give_back_class(Pool& pool, std::size_t index) {
  while (pool.unused[index] != nullptr) give_back(pop(pool, index), bytes_of_class(index));
}

// Gives every unused buffer back to the system; the caller holds the mutex.
void empty(Pool& pool) {
  for (std::size_t index = 0; index < pool.unused.size(); ++index) give_back_class(pool, index);
}

}  // namespace

Buffer allocate(std::size_t bytes) {
  const SizeClass size = size_class(bytes);
  Pool& pool = the_pool();
  const std::lock_guard lock(pool.mutex);
  const std::size_t last = size.index + (size.bytes < large ? 0 : neighbours);
  for (std::size_t index = size.index; index <= last; ++index) {
    if (pool.unused[index] == nullptr) continue;
    void* const buffer = pop(pool, index);
    count(pool.stats, 1, bytes_of_class(index));
    return {static_cast<std::byte*>(buffer), bytes_of_class(index)};
  }
  for (std::size_t index = size.index - neighbours; size.bytes >= large && index < size.index; ++index) {
    give_back_class(pool, index);
  }
  void* buffer = take(size.bytes);
  if (buffer == nullptr) {
    empty(pool);
    buffer = take(size.bytes);
  }
  if (buffer == nullptr) {
    fail("memory", "the system has no ", size.bytes, " bytes for one tensor; ", pool.stats.live_bytes,
         " bytes are in use by others");
  }
  ++pool.stats.buffers_allocated;
  count(pool.stats, 1, size.bytes);
  return {static_cast<std::byte*>(buffer), size.bytes};
}

void free(Buffer buffer) noexcept {
  Pool& pool = the_pool();
  const std::lock_guard lock(pool.mutex);
  count(pool.stats, -1, buffer.bytes);
  if (!reuse) return give_back(buffer.data, buffer.bytes);
  Unused*& unused = pool.unused[size_class(buffer.bytes).index];
  unused = ::new (buffer.data) Unused{unused};
  pool.stats.pooled_bytes += static_cast<std::int64_t>(buffer.bytes);
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
  return pool.stats;
}

void trim() {
  Pool& pool = the_pool();
  const std::lock_guard lock(pool.mutex);
  empty(pool);
}

}  // namespace gradus::pool
