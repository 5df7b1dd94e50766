#include "memory/mapping.hpp"

#include <cstdlib>

// WebAssembly cannot map memory at a chosen address, and its memory never shrinks.
namespace gradus::pool {

std::size_t page_size() { return 4096; }

std::byte* pages_at(std::byte* place, std::size_t bytes, bool) {
  return place == nullptr ? static_cast<std::byte*>(std::aligned_alloc(page_size(), bytes)) : nullptr;
}

std::byte* pages_with_room(std::size_t bytes, bool huge) { return pages_at(nullptr, bytes, huge); }

bool unmap_pages(std::byte*, std::size_t) noexcept { return false; }

}  // namespace gradus::pool
