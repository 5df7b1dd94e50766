#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gradus::pool {

/// Ranges of the system's pages, cut anywhere, that wait for their next use. A request takes the end of the
/// smallest range that holds it; ranges that become neighbours become one. When none is long enough, the one
/// that reaches lowest is lengthened, by what lies before it and was never used: so a step finds its tensors'
/// places where the step before had them, and memory stays close to what is in use at once. The system is
/// asked for a block of it at least, far from what others ask for, and gives each page when it is first
/// written.
class PageRanges {
 public:
  static constexpr std::size_t block = std::size_t{16} << 20;
  /// Huge pages take fewer faults and walks of page tables, and more memory than is in use.
  explicit PageRanges(bool huge = false) : huge_(huge) {}
  /// `bytes` as whole pages.
  static std::size_t whole(std::size_t bytes);

  /// A range of `bytes` from those that wait, or nullptr. Throws std::bad_alloc, and changes nothing then.
  std::byte* take(std::size_t bytes);
  /// The same when no range is long enough: nullptr when the system has no more.
  std::byte* lengthen(std::size_t bytes);
  void put(std::byte* begin, std::size_t bytes) noexcept;
  /// Gives the whole pages of what waits, and what was never used, back to the system.
  void unmap() noexcept;
  /// The bytes that wait.
  std::size_t waiting() const;
  /// How often the system gave memory.
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
  std::vector<Range> ranges_;    // by address; few, since neighbours are one
  std::size_t taken_ = 0;        // and not yet put back
  std::byte* lowest_ = nullptr;  // where what was used begins, in the memory that came last
  std::size_t unused_ = 0;       // bytes before it
  std::int64_t blocks_ = 0;
};

}  // namespace gradus::pool
