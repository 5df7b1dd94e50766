#pragma once

#include <cstddef>
#include <vector>

namespace gradus::pool {

/// Ranges of the system's pages that wait for their next use. A request takes the smallest range that holds
/// it and leaves what it does not need; ranges that become neighbours become one. So what a step frees serves
/// the next tensors whatever their sizes, and memory stays close to what is in use at once.
class PageRanges {
 public:
  /// `bytes` as whole pages.
  static std::size_t whole(std::size_t bytes);

  /// A range of `bytes`, whole pages, from those that wait, or nullptr.
  std::byte* take(std::size_t bytes);
  /// The same from the system, or nullptr.
  std::byte* map(std::size_t bytes);
  void put(std::byte* begin, std::size_t bytes) noexcept;
  /// Gives all that waits back to the system.
  void unmap();

 private:
  struct Range {
    std::byte* begin;
    std::size_t bytes;
    std::byte* end() const { return begin + bytes; }
  };
  void count_taken();

  std::vector<Range> ranges_;  // by address; few, since neighbours are one
  std::size_t taken_ = 0;      // and not yet put back
};

}  // namespace gradus::pool
