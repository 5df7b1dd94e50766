#include "pages.hpp"

#include <algorithm>
#include <sys/mman.h>
#include <unistd.h>

namespace gradus::pool {
namespace {

// Pages at `place`, or anywhere for nullptr; nullptr when there are none.
std::byte* pages_at(std::byte* place, std::size_t bytes) {
  const int only_there = place == nullptr ? 0 : MAP_FIXED_NOREPLACE;
  void* const pages =
      mmap(place, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | only_there, -1, 0);
  if (pages == MAP_FAILED) return nullptr;
  madvise(pages, bytes, MADV_HUGEPAGE);  // fewer faults and walks of page tables; no harm where refused
  if (place == nullptr || pages == place) return static_cast<std::byte*>(pages);
  munmap(pages, bytes);  // before Linux 4.17 the place is only a wish
  return nullptr;
}

// Pages with room before them. The system puts what anyone asks for right below what is there, and so between
// these pages and the next: they are put where others come only after so many bytes.
std::byte* pages_with_room(std::size_t bytes) {
  constexpr std::size_t distance = std::size_t{1} << 36;
  void* const room =
      mmap(nullptr, 2 * distance, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room != MAP_FAILED) {  // with a limit on addresses it fails
    munmap(room, 2 * distance);
    if (std::byte* const pages = pages_at(static_cast<std::byte*>(room) + distance, bytes)) return pages;
  }
  return pages_at(nullptr, bytes);
}

}  // namespace

std::size_t PageRanges::whole(std::size_t bytes) {
  static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

std::byte* PageRanges::map(std::size_t bytes) {
  const auto at_end = std::ranges::find(ranges_, lowest_, &Range::begin);
  const std::size_t there = at_end == ranges_.end() ? 0 : at_end->bytes, missing = bytes - there;
  if (lowest_ != nullptr && pages_at(lowest_ - missing, missing) != nullptr) {
    if (there > 0) ranges_.erase(at_end);
    lowest_ -= missing;
  } else {
    std::byte* const elsewhere = pages_with_room(bytes);
    if (elsewhere == nullptr) return nullptr;
    lowest_ = elsewhere;
  }
  count_taken();
  return lowest_;
}

std::byte* PageRanges::take(std::size_t bytes) {
  auto best = ranges_.end();
  for (auto range = ranges_.begin(); range != ranges_.end(); ++range) {
    if (range->bytes >= bytes && (best == ranges_.end() || range->bytes < best->bytes)) best = range;
  }
  if (best == ranges_.end()) return nullptr;
  best->bytes -= bytes;
  std::byte* const begin = best->end();
  if (best->bytes == 0) ranges_.erase(best);
  count_taken();
  return begin;
}

std::size_t PageRanges::waiting() const {
  std::size_t bytes = 0;
  for (const Range& range : ranges_) bytes += range.bytes;
  return bytes;
}

// Room for the moment when all are put back, where nothing may fail.
void PageRanges::count_taken() { ranges_.reserve(ranges_.size() + ++taken_); }

void PageRanges::put(std::byte* begin, std::size_t bytes) noexcept {
  --taken_;
  const auto after = std::ranges::lower_bound(ranges_, begin, {}, &Range::begin);
  const auto at = ranges_.insert(after, {begin, bytes});
  if (const auto next = at + 1; next != ranges_.end() && at->end() == next->begin) {
    at->bytes += next->bytes;
    ranges_.erase(next);
  }
  if (at != ranges_.begin() && (at - 1)->end() == at->begin) {
    (at - 1)->bytes += at->bytes;
    ranges_.erase(at);
  }
}

void PageRanges::unmap() {
  for (const Range& range : ranges_) munmap(range.begin, range.bytes);
  ranges_.clear();
  lowest_ = nullptr;
}

}  // namespace gradus::pool
