#include "pages.hpp"

#include <algorithm>
#include <bit>

#include "mapping.hpp"

namespace gradus::pool {
namespace {

std::size_t address(const std::byte* place) { return reinterpret_cast<std::uintptr_t>(place); }

}  // namespace

std::size_t PageRanges::whole(std::size_t bytes) {
  return (bytes + page_size() - 1) / page_size() * page_size();
}

std::byte* PageRanges::take(std::size_t bytes) {
  make_room();
  auto best = ranges_.end();
  for (auto range = ranges_.begin(); range != ranges_.end(); ++range) {
    if (range->bytes >= bytes && (best == ranges_.end() || range->bytes < best->bytes)) best = range;
  }
  if (best == ranges_.end()) return nullptr;
  best->bytes -= bytes;
  std::byte* const begin = best->end();
  if (best->bytes == 0) ranges_.erase(best);
  ++taken_;
  return begin;
}

std::byte* PageRanges::lengthen(std::size_t bytes) {
  make_room();
  if (unused_ < missing(bytes) && !ask(bytes)) return nullptr;
  const std::size_t more = missing(bytes);
  lowest_ -= more;
  unused_ -= more;
  insert(lowest_, more);
  return take(bytes);
}

// The number of bytes by which the lowest range is too short for a request of `bytes`.
std::size_t PageRanges::missing(std::size_t bytes) const {
  const auto range = std::ranges::find(ranges_, lowest_, &Range::begin);
  return range == ranges_.end() ? bytes : bytes - range->bytes;
}

// Maps memory just below the newest block, where only the missing bytes are needed. If that fails, maps
// memory elsewhere, where all bytes are needed. In each place, tries a whole block first, and then only the
// bytes needed.
bool PageRanges::ask(std::size_t bytes) {
  const std::size_t more = whole(missing(bytes) - unused_), all = whole(bytes);
  for (const std::size_t wanted : {std::max(more, block), more}) {
    if (lowest_ != nullptr && pages_at(lowest_ - unused_ - wanted, wanted, huge_) != nullptr) {
      unused_ += wanted;
      ++blocks_;
      return true;
    }
  }
  for (const std::size_t wanted : {std::max(all, block), all}) {
    if (std::byte* const elsewhere = pages_with_room(wanted, huge_); elsewhere != nullptr) {
      insert(lowest_ - unused_, unused_);
      lowest_ = elsewhere + wanted;
      unused_ = wanted;
      ++blocks_;
      return true;
    }
  }
  return false;
}

std::size_t PageRanges::waiting() const {
  std::size_t bytes = 0;
  for (const Range& range : ranges_) bytes += range.bytes;
  return bytes;
}

// Reserves memory for as many ranges as put() and unmap() can add, so that these two functions cannot fail.
// unmap() may split every range in two.
void PageRanges::make_room() { ranges_.reserve(std::bit_ceil(2 * (ranges_.size() + taken_ + 2))); }

void PageRanges::put(std::byte* begin, std::size_t bytes) noexcept {
  --taken_;
  insert(begin, bytes);
}

void PageRanges::insert(std::byte* begin, std::size_t bytes) noexcept {
  if (bytes == 0) return;
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

void PageRanges::unmap() noexcept {
  insert(lowest_ - unused_, unused_);
  lowest_ = nullptr;
  unused_ = 0;
  for (auto range = ranges_.begin(); range != ranges_.end(); ++range) {
    const std::size_t before = whole(address(range->begin)) - address(range->begin);
    const std::size_t after = address(range->end()) % page_size();
    if (before + after >= range->bytes) continue;
    // The system refuses if the process would then have too many mappings. The range then stays mapped.
    if (!unmap_pages(range->begin + before, range->bytes - before - after)) continue;
    std::byte* const end = range->end();
    range->bytes = before;
    range = ranges_.insert(range + 1, {end - after, after});
  }
  std::erase_if(ranges_, [](const Range& range) { return range.bytes == 0; });
}

}  // namespace gradus::pool
