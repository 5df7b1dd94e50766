#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gradus::pool {

/// Free ranges of mapped memory. A request takes the end of the smallest range that is long enough. If no
/// range is long enough, the lowest range is extended downwards into unused memory. Neighbouring ranges are
/// merged. As a result, each training step uses the same addresses as the step before, and memory stays close
/// to the amount in use at once. Memory is mapped in blocks of at least `block` bytes, or fewer if the system
/// refuses. A new block is mapped just below the newest one or, if that fails, elsewhere (pages_with_room()).
/// Pages are committed on first write.
class PageRanges {
 public:
  static constexpr std::size_t block = std::size_t{16} << 20;
  /// Huge pages save page faults and page-table walks, but take more memory.
  explicit PageRanges(bool huge = false) : huge_(huge) {}
  /// `bytes` rounded up to whole pages.
  static std::size_t whole(std::size_t bytes);

  /// Takes `bytes` from the free ranges. Returns nullptr if no range is long enough. If take() throws
  /// std::bad_alloc, nothing has changed.
  std::byte* take(std::size_t bytes);
  /// Takes `bytes` when no free range is long enough: extends the range at the start of the
  /// used memory, and maps a block if necessary. Returns nullptr if the system has no memory.
  std::byte* lengthen(std::size_t bytes);
  void put(std::byte* begin, std::size_t bytes) noexcept;
  /// Unmaps unused memory, and the pages that lie completely in free ranges.
  void unmap() noexcept;
  /// The bytes in free ranges.
  std::size_t waiting() const;
  /// The number of blocks mapped.
  std::int64_t blocks() const { return blocks_; }

 private:
  struct Range {
    std::byte* begin;
    std::size_t bytes;
    std::byte* end() const { return begin + bytes; }
  };
  std::size_t missing(std::size_t bytes) const;
  bool ask(std::size_t bytes);
  void make_room();
  void insert(std::byte* begin, std::size_t bytes) noexcept;

  bool huge_;
  std::vector<Range> ranges_;    // sorted by address; few, because neighbours are merged
  std::size_t taken_ = 0;        // number of ranges taken and not yet put back
  std::byte* lowest_ = nullptr;  // start of the used part of the newest block
  std::size_t unused_ = 0;       // unused bytes just below lowest_
  std::int64_t blocks_ = 0;
};

}  // namespace gradus::pool
