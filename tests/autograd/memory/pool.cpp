// The caching pool that allocates memory for tensors.

#include "memory/pool.hpp"

#include <gradus/autograd/memory.hpp>
#include <gradus/autograd/ops.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <utility>
#include <vector>

#include "autograd/helpers.hpp"
#include "memory/pages.hpp"
#include "memory/sanitizers.hpp"
#include "property.hpp"

using gradus::empty;
using gradus::memory_stats;
using gradus::release_pooled_memory;
using gradus::Tensor;
using gradus::tensor;
using gradus::pool::allocate;
using gradus::pool::Buffer;
using gradus::pool::free;
using gradus::pool::PageRanges;

namespace {

constexpr bool reuses = !gradus::sanitized;  // sanitizers bypass the pool: each buffer is a system allocation

const std::size_t page = PageRanges::whole(1);

// Maps the pages just before `end`. Maps nothing if one of them is mapped already. The destructor unmaps what
// the constructor has mapped.
class PagesBefore {
 public:
  PagesBefore(std::byte* end, std::size_t bytes)
      : bytes_(bytes),
        begin_(mmap(end - bytes, bytes, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0)) {}
  PagesBefore(const PagesBefore&) = delete;
  PagesBefore& operator=(const PagesBefore&) = delete;
  ~PagesBefore() {
    if (begin_ != MAP_FAILED) munmap(begin_, bytes_);
  }

 private:
  const std::size_t bytes_;
  void* const begin_;
};

// Limits the address space to `more` bytes above its present size. The destructor restores the limit.
class AddressLimit {
 public:
  explicit AddressLimit(std::size_t more) {
    getrlimit(RLIMIT_AS, &before_);
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlimit limit{pages * page + more, before_.rlim_max};
    setrlimit(RLIMIT_AS, &limit);
  }
  AddressLimit(const AddressLimit&) = delete;
  AddressLimit& operator=(const AddressLimit&) = delete;
  ~AddressLimit() { setrlimit(RLIMIT_AS, &before_); }

 private:
  rlimit before_{};
};

bool is_mapped(std::byte* at) {
  unsigned char resident = 0;
  return mincore(at, page, &resident) == 0;
}

// An upper bound of the free memory that the pool cannot return to the system: two pages per live buffer,
// because a buffer's first and last page can contain free memory, too.
std::int64_t between_live_buffers() {
  return 2 * memory_stats().live_buffers * static_cast<std::int64_t>(page);
}

void training_step(const Tensor& weight, const Tensor& input) {
  Tensor w = weight;
  w.zero_grad();
  Tensor state = input;
  for (int t = 0; t < 4; ++t) state = tanh(matmul(state, w) + input);
  mean(softmax(state) * state).backward();
}

}  // namespace

TEST_CASE("a loop of constant shapes allocates nothing after its first iteration", "[autograd][pool]") {
  if (!reuses) return;
  const Tensor weight = leaf(gradus::ones({5, 5})), input = gradus::ones({3, 5});
  training_step(weight, input);
  const auto after_one = memory_stats();
  for (int i = 0; i < 20; ++i) training_step(weight, input);
  CHECK(memory_stats().buffers_allocated == after_one.buffers_allocated);
  CHECK(memory_stats().live_buffers == after_one.live_buffers);
  CHECK(memory_stats().live_bytes == after_one.live_bytes);
  CHECK(memory_stats().pooled_bytes == after_one.pooled_bytes);
}

TEST_CASE("live, peak and pooled bytes are counted", "[autograd][pool]") {
  const auto before = memory_stats();
  const std::int64_t large = before.peak_bytes + 4096;
  {
    const Tensor big = empty({large / 4});
    CHECK(memory_stats().live_buffers == before.live_buffers + 1);
    CHECK(memory_stats().live_bytes >= before.live_bytes + large);
    CHECK(memory_stats().live_bytes <= before.live_bytes + large + large / 8);
    CHECK(memory_stats().peak_bytes == memory_stats().live_bytes);
  }
  CHECK(memory_stats().live_buffers == before.live_buffers);
  CHECK(memory_stats().live_bytes == before.live_bytes);
  CHECK(memory_stats().peak_bytes >= before.live_bytes + large);
  CHECK((memory_stats().pooled_bytes >= large) == reuses);

  release_pooled_memory();
  CHECK(memory_stats().pooled_bytes <= between_live_buffers());
}

TEST_CASE("a released pool allocates from the system again, then reuses memory", "[autograd][pool]") {
  if (!reuses) return;
  for (const std::int64_t n : {100'000, 10'000'000}) {  // with and without a size class
    std::ignore = empty({n});
    const auto kept = memory_stats().buffers_allocated;
    std::ignore = empty({n});
    CHECK(memory_stats().buffers_allocated == kept);
    release_pooled_memory();
    std::ignore = empty({n});
    CHECK(memory_stats().buffers_allocated == kept + 1);
  }
}

TEST_CASE("small buffers of many sizes are cut from one block", "[autograd][pool]") {
  if (!reuses) return;
  release_pooled_memory();
  const auto before = memory_stats().buffers_allocated;
  std::vector<Buffer> buffers;
  for (std::size_t bytes = 64; bytes < 20'000; bytes += 640) buffers.push_back(allocate(bytes));
  CHECK(memory_stats().buffers_allocated <= before + 1);
  for (const Buffer& buffer : buffers) std::fill_n(buffer.data, buffer.bytes, std::byte{0x5A});
  for (const Buffer& buffer : buffers) free(buffer);
}

TEST_CASE("live buffers keep their values when pooled memory between them is released", "[autograd][pool]") {
  release_pooled_memory();
  std::vector<Tensor> live;
  std::vector<Buffer> others;
  for (int i = 0; i < 40; ++i) {
    live.push_back(gradus::full({100 + 97 * i}, i));
    others.push_back(allocate(static_cast<std::size_t>(5000 + 1777 * i)));
  }
  for (const Buffer& buffer : others) free(buffer);
  release_pooled_memory();
  CHECK(memory_stats().pooled_bytes <= between_live_buffers());
  for (int round = 0; round < 2; ++round) {
    for (const Buffer& buffer : others) {
      const Buffer again = allocate(buffer.bytes);
      std::fill_n(again.data, again.bytes, std::byte{0xA5});
      free(again);
    }
    release_pooled_memory();
  }
  for (int i = 0; i < 40; ++i) {
    REQUIRE(live[static_cast<std::size_t>(i)].to_vector<double>() ==
            std::vector<double>(static_cast<std::size_t>(100 + 97 * i), i));
  }
}

TEST_CASE("allocating too large a tensor releases the pool, then throws", "[autograd][pool]") {
  if (!reuses) return;  // a sanitizer's allocator would end the program
  std::ignore = empty({1000});
  CHECK(memory_stats().pooled_bytes > 0);
  const auto before = memory_stats();
  CHECK_ERROR(empty({std::int64_t{1} << 55}),
              "memory: cannot allocate 144115188075855872 bytes for a tensor; other tensors use " +
                  std::to_string(before.live_bytes) + " bytes");
  CHECK(memory_stats().pooled_bytes <= between_live_buffers());
  CHECK(memory_stats().live_bytes == before.live_bytes);
  CHECK(memory_stats().live_buffers == before.live_buffers);
}

TEST_CASE("buffers of any size are large enough and aligned to 64 bytes", "[autograd][pool]") {
  release_pooled_memory();
  for (std::size_t bytes :
       {0, 1, 63, 64, 65, 512, 513, 576, 577, 1024, 1025, 4095, 4097, 100'000, 1'234'567}) {
    CAPTURE(bytes);
    const auto before = memory_stats();
    const Buffer buffer = allocate(bytes);
    CHECK(reinterpret_cast<std::uintptr_t>(buffer.data) % 64 == 0);
    CHECK(static_cast<std::size_t>(memory_stats().live_bytes - before.live_bytes) == buffer.bytes);
    CHECK(buffer.bytes >= bytes);
    CHECK(buffer.bytes <= std::max<std::size_t>(64, bytes + bytes / 8 + 64));
    std::fill_n(buffer.data, buffer.bytes, std::byte{0xA5});
    free(buffer);
    CHECK(memory_stats().live_bytes == before.live_bytes);
  }
}

TEST_CASE("a small buffer is reused only for requests of its own size class", "[autograd][pool]") {
  if (!reuses) return;
  std::set<std::size_t> classes;  // the different capacities
  for (std::size_t bytes = 1; bytes < 10'000; bytes += 9) {
    const Buffer buffer = allocate(bytes);
    classes.insert(buffer.bytes);
    free(buffer);
  }
  CHECK(classes.size() > 30);
  for (const std::size_t freed : classes) {
    const Buffer buffer = allocate(freed);
    free(buffer);
    for (const std::size_t wanted : classes) {
      const Buffer other = allocate(wanted);
      REQUIRE((other.data == buffer.data) == (wanted == freed));
      free(other);
    }
  }
}

TEST_CASE("large buffers reuse freed memory, however it was split", "[autograd][pool]") {
  if (!reuses) return;
  release_pooled_memory();
  constexpr std::size_t MB = 1 << 20;
  const Buffer ten = allocate(10 * MB);
  free(ten);
  const auto allocated = memory_stats().buffers_allocated;
  const Buffer three = allocate(3 * MB), two = allocate(2 * MB), five = allocate(5 * MB);
  CHECK(three.data + three.bytes == ten.data + ten.bytes);  // `three` lies at the end of the free range
  CHECK(two.data + two.bytes == three.data);
  CHECK(five.data == ten.data);
  CHECK(memory_stats().pooled_bytes == 0);
  free(three);
  free(five);
  const Buffer other = allocate(4 * MB);  // taken from the smallest free range that fits
  CHECK(other.data + other.bytes == two.data);
  free(two);
  free(other);
  const Buffer again = allocate(10 * MB);
  CHECK(again.data == ten.data);
  CHECK(memory_stats().buffers_allocated == allocated);
  free(again);
  release_pooled_memory();
}

TEST_CASE("the lowest range is extended downwards, first within the current block", "[autograd][pool]") {
  PageRanges ranges;
  std::byte* const ten = ranges.lengthen(10 * page);
  REQUIRE(ranges.blocks() == 1);
  ranges.put(ten, 10 * page);
  std::byte* const three = ranges.take(3 * page);
  REQUIRE(three == ten + 7 * page);
  REQUIRE(ranges.waiting() == 7 * page);
  std::byte* const nine = ranges.lengthen(9 * page);
  REQUIRE(nine + 9 * page == three);  // 7 free pages, extended downwards by 2 new ones
  CHECK(ranges.waiting() == 0);
  ranges.put(nine, 9 * page);
  CHECK(ranges.blocks() == 1);
  std::byte* const most = ranges.lengthen(PageRanges::block);  // extends into a second block
  REQUIRE(most + PageRanges::block == nine + 9 * page);
  CHECK(ranges.blocks() == 2);
  std::fill_n(most, PageRanges::block, std::byte{1});
  ranges.put(most, PageRanges::block);
  ranges.put(three, 3 * page);
  CHECK(ranges.waiting() == PageRanges::block + 3 * page);
  ranges.unmap();
  CHECK(ranges.waiting() == 0);
}

TEST_CASE("whole free pages are unmapped, and free parts of used pages stay", "[autograd][pool]") {
  PageRanges ranges;
  std::byte* const begin = ranges.lengthen(10 * page);
  std::byte* const end = begin + 10 * page;
  ranges.put(begin, 10 * page);
  std::byte* const last = ranges.take(64);
  std::byte* const middle = ranges.take(8 * page);
  std::byte* const first = ranges.take(64);
  for (std::byte* taken : {first, last}) std::fill_n(taken, 64, std::byte{7});
  ranges.put(middle, 8 * page);
  ranges.unmap();
  CHECK_FALSE(is_mapped(begin));
  CHECK(is_mapped(begin + page));  // this page contains `first`
  CHECK_FALSE(is_mapped(end - 8 * page));
  CHECK_FALSE(is_mapped(end - 2 * page));
  CHECK(is_mapped(end - page));
  REQUIRE(ranges.waiting() == (page - 128) + 64 + (page - 64));
  for (const std::size_t bytes : {page - 128, std::size_t{64}, page - 64}) {
    std::byte* const rest = ranges.take(bytes);
    REQUIRE(rest != nullptr);
    std::fill_n(rest, bytes, std::byte{8});
    ranges.put(rest, bytes);
  }
  for (std::byte* taken : {first, last}) {
    CHECK(std::all_of(taken, taken + 64, [](std::byte value) { return value == std::byte{7}; }));
    ranges.put(taken, 64);
  }
  ranges.unmap();
  CHECK(ranges.waiting() == 0);
  CHECK_FALSE(is_mapped(begin + page));
  CHECK_FALSE(is_mapped(end - page));
}

TEST_CASE("without address space for a block, only the requested bytes are mapped", "[autograd][pool]") {
  if (gradus::sanitized) return;  // shadow memory of a sanitizer exceeds every limit
  PageRanges ranges;
  std::byte* const first = ranges.lengthen(PageRanges::block);
  std::byte* second = nullptr;
  {
    const AddressLimit limit(PageRanges::block / 2);
    second = ranges.lengthen(4 * page);
  }
  REQUIRE(second != nullptr);
  CHECK(ranges.blocks() == 2);
  std::fill_n(second, 4 * page, std::byte{1});
  ranges.put(first, PageRanges::block);
  ranges.put(second, 4 * page);
  ranges.unmap();
}

TEST_CASE("mappings made by others do not interrupt the pool's range", "[autograd][pool]") {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY) return;  // too little room
  PageRanges ranges;
  std::byte* const first = ranges.lengthen(4 * page);
  std::vector<std::pair<void*, std::size_t>> others;
  for (const std::size_t bytes : {page, 16 * page, PageRanges::block}) {
    others.emplace_back(mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), bytes);
  }
  std::byte* const second = ranges.lengthen(PageRanges::block);  // extends into a second block
  CHECK(second == first - PageRanges::block);
  CHECK(ranges.blocks() == 2);
  for (const auto& [begin, bytes] : others) munmap(begin, bytes);
  ranges.put(first, 4 * page);
  ranges.put(second, PageRanges::block);
  ranges.unmap();
}

TEST_CASE("a range that cannot be extended stays free, and new memory is mapped elsewhere",
          "[autograd][pool]") {
  PageRanges ranges;
  std::byte* const ten = ranges.lengthen(10 * page);
  ranges.put(ten, 10 * page);
  std::byte* const block = ten + 10 * page - PageRanges::block;
  const PagesBefore obstacle(block, page);  // maps the page, unless it is mapped already
  constexpr std::size_t more = PageRanges::block + 64;
  std::byte* const elsewhere = ranges.lengthen(more);
  REQUIRE((elsewhere + more <= block - page || elsewhere >= ten + 10 * page));
  CHECK(ranges.waiting() == PageRanges::block);
  std::fill_n(elsewhere, more, std::byte{1});
  CHECK(ranges.take(PageRanges::block) == block);
  ranges.put(block, PageRanges::block);
  ranges.put(elsewhere, more);
  ranges.unmap();
}

TEST_CASE("ranges of pages never overlap, and free neighbours merge", "[autograd][pool]") {
  check_property([] {
    PageRanges ranges;
    const std::size_t all = 64 * page;
    std::byte* const memory = ranges.lengthen(all);
    RC_ASSERT(memory != nullptr);
    ranges.put(memory, all);
    std::map<std::byte*, std::size_t> taken;
    const auto sizes =
        *rc::gen::container<std::vector<std::size_t>>(100, rc::gen::inRange<std::size_t>(0, 12));
    for (const std::size_t n : sizes) {
      if (n == 0 && !taken.empty()) {
        const auto any = std::next(taken.begin(), static_cast<std::ptrdiff_t>(taken.size() / 2));
        ranges.put(any->first, any->second);
        taken.erase(any);
      } else if (std::byte* const found = ranges.take((n + 1) * page); found != nullptr) {
        const auto next = taken.upper_bound(found);
        RC_ASSERT((found >= memory && found + (n + 1) * page <= memory + all));
        RC_ASSERT((next == taken.end() || found + (n + 1) * page <= next->first));
        RC_ASSERT((next == taken.begin() || std::prev(next)->first + std::prev(next)->second <= found));
        taken[found] = (n + 1) * page;
      }
    }
    for (const auto& [begin, bytes] : taken) ranges.put(begin, bytes);
    RC_ASSERT(ranges.take(all) == memory);
    ranges.put(memory, all);
    ranges.unmap();
    RC_ASSERT(ranges.take(page) == nullptr);
  });
}

TEST_CASE("steps of varying sizes use little more memory than the largest step", "[autograd][pool]") {
  PageRanges ranges;
  constexpr std::size_t row = 2048;  // bytes per row at width 1
  std::byte* const first = ranges.lengthen(100 * page);
  ranges.put(first, 100 * page);
  std::size_t most = 0;
  for (int cycle = 0; cycle < 3; ++cycle) {
    for (const std::size_t n : {700, 900, 640, 1000, 810}) {
      std::vector<std::pair<std::byte*, std::size_t>> step;
      std::size_t all = 0;
      for (const std::size_t width : {1, 8, 2, 4, 8, 1}) {
        const std::size_t bytes = PageRanges::whole(n * width * row);
        std::byte* const waiting = ranges.take(bytes);
        step.emplace_back(waiting != nullptr ? waiting : ranges.lengthen(bytes), bytes);
        all += bytes;
      }
      for (const auto& [begin, bytes] : step) ranges.put(begin, bytes);
      most = std::max(most, all);
    }
  }
  CHECK(ranges.waiting() < most + most / 10);
  ranges.unmap();
}

TEST_CASE("two live tensors never share a buffer", "[autograd][pool]") {
  std::vector<Tensor> tensors;
  for (int i = 0; i < 100; ++i) tensors.push_back(gradus::full({1 + i % 7}, i));
  for (int i = 0; i < 100; i += 2) tensors[static_cast<std::size_t>(i)] = gradus::full({1 + i % 5}, -i);
  for (int i = 0; i < 100; ++i) {
    for (const double value : tensors[static_cast<std::size_t>(i)].to_vector<double>()) {
      REQUIRE(value == (i % 2 == 0 ? -i : i));
    }
  }
}
