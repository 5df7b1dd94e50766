#include "pages.hpp"

#include <algorithm>
#include <sys/mman.h>
#include <unistd.h>

namespace gradus::pool {

std::size_t PageRanges::whole(std::size_t bytes) {
  static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

std::byte* PageRanges::map(std::size_t bytes) {
  void* const pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return nullptr;
  count_taken();
  return static_cast<std::byte*>(pages);
}

std::byte* PageRanges::take(std::size_t bytes) {
  auto best = ranges_.end();
  for (auto range = ranges_.begin(); range != ranges_.end(); ++range) {
    if (range->bytes >= bytes && (best == ranges_.end() || range->bytes < best->bytes)) best = range;
  }
  if (best == ranges_.end()) return nullptr;
  std::byte* const begin = best->begin;
  best->begin += bytes;
  best->bytes -= bytes;
  if (best->bytes == 0) ranges_.erase(best);
  count_taken();
  return begin;
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
}

}  // namespace gradus::pool
