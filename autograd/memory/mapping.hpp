#pragma once

#include <cstddef>

/// Pages of memory from the operating system.
namespace gradus::pool {

/// The size of a page, in bytes.
std::size_t page_size();

/// Maps pages at `place`, or anywhere if `place` is nullptr. Returns nullptr on failure. `huge` asks for huge
/// pages, which the system may refuse.
std::byte* pages_at(std::byte* place, std::size_t bytes, bool huge);

/// Maps a block of pages, if possible with a gap below it, so that the block can grow downwards. Returns
/// nullptr on failure.
std::byte* pages_with_room(std::size_t bytes, bool huge);

/// Unmaps whole pages. Returns false if the system refuses; the pages then stay mapped.
bool unmap_pages(std::byte* begin, std::size_t bytes) noexcept;

}  // namespace gradus::pool
