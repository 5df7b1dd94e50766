#include "mapping.hpp"

#include <sys/mman.h>
#include <unistd.h>

namespace gradus::pool {

std::size_t page_size() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

std::byte* pages_at(std::byte* place, std::size_t bytes, bool huge) {
  const int only_there = place == nullptr ? 0 : MAP_FIXED_NOREPLACE;
  void* const pages =
      mmap(place, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | only_there, -1, 0);
  if (pages == MAP_FAILED) return nullptr;
  if (huge) madvise(pages, bytes, MADV_HUGEPAGE);  // the system may refuse
  if (place == nullptr || pages == place) return static_cast<std::byte*>(pages);
  munmap(pages, bytes);  // before Linux 4.17, `place` is only a hint
  return nullptr;
}

// mmap puts new mappings right below existing ones. A gap below the block keeps new mappings away, so that
// the block can grow downwards.
std::byte* pages_with_room(std::size_t bytes, bool huge) {
  constexpr std::size_t distance = std::size_t{1} << 36;
  void* const room =
      mmap(nullptr, 2 * distance, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room != MAP_FAILED) {  // false if the address space is limited
    munmap(room, 2 * distance);
    if (std::byte* const pages = pages_at(static_cast<std::byte*>(room) + distance, bytes, huge))
      return pages;
  }
  return pages_at(nullptr, bytes, huge);
}

bool unmap_pages(std::byte* begin, std::size_t bytes) noexcept { return munmap(begin, bytes) == 0; }

}  // namespace gradus::pool
