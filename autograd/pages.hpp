#pragma once

#include <cstddef>
#include <vector>

namespace gradus::pool {

/// Ranges of the system's pages that wait for their next use. A request takes the end of the smallest range
/// that holds it; ranges that become neighbours become one. What comes from the system is put before what
/// came last, far from what others ask for: so a step finds its tensors' places where the step before had
/// them, lengthened by what it needs more, and memory stays close to what is in use at once.
class PageRanges {
 public:
  /// `bytes` as whole pages.
  static std::size_t whole(std::size_t bytes);

  /// A range of `bytes`, whole pages, from those that wait, or nullptr.
  std::byte* take(std::size_t bytes);
  /// The same when no range is long enough, from the system, or nullptr.
  std::byte* map(std::size_t bytes);
  void put(std::byte* begin, std::size_t bytes) noexcept;
  /// Gives all that waits back to the system.
  void unmap();
  /// The bytes that wait.
  std::size_t waiting() const;

 private:
  struct Range {
    std::byte* begin;
    std::size_t bytes;
    std::byte* end() const { return begin + bytes; }
  };
  void count_taken();

  std::vector<Range> ranges_;    // by address; few, since neighbours are one
  std::size_t taken_ = 0;        // and not yet put back
  std::byte* lowest_ = nullptr;  // where the last pages from the system begin
};

}  // namespace gradus::pool
