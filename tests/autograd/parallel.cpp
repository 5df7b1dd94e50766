#include <gradus/autograd/parallel.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "helpers.hpp"

using namespace gradus;

TEST_CASE("every index of a parallel loop is visited once, with any number of threads",
          "[autograd][parallel]") {
  for (const int count : {1, 2, 3, 8}) {
    const Threads set(count);
    CHECK(threads() == count);
    for (const std::int64_t n : {0, 1, 7, 1000}) {
      std::vector<std::atomic<int>> visits(static_cast<std::size_t>(n));
      parallel_for(n, 3, [&](std::int64_t begin, std::int64_t end) {
        CHECK(end - begin >= std::min<std::int64_t>(n, 3));
        for (std::int64_t i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i)];
      });
      for (const auto& visited : visits) REQUIRE(visited == 1);
    }
  }
}

TEST_CASE("thousands of short jobs lose nothing", "[autograd][parallel]") {
  const Threads set(4);
  std::atomic<std::int64_t> sum{0};
  for (std::int64_t job = 0; job < 5000; ++job) {
    parallel_tasks(1 + job % 6, [&](std::int64_t i) { sum += i + 1; });
  }
  std::int64_t expected = 0;
  for (std::int64_t job = 0; job < 5000; ++job) expected += (1 + job % 6) * (2 + job % 6) / 2;
  CHECK(sum == expected);
}

TEST_CASE("a thread begins with the same share of every job", "[autograd][parallel]") {
  constexpr std::size_t count = 3;
  const Threads set(count);
  std::array<std::thread::id, count> first;
  for (int job = 0; job < 200; ++job) {
    std::array<std::thread::id, count> by;
    std::atomic<std::size_t> begun{0};
    parallel_tasks(count, [&](std::int64_t i) {
      by[static_cast<std::size_t>(i)] = std::this_thread::get_id();
      // Nobody gets a second one before each has had one.
      for (++begun; begun < count;) std::this_thread::yield();
    });
    if (job == 0) first = by;
    REQUIRE(by == first);
  }
  CHECK(first[0] == std::this_thread::get_id());
}

TEST_CASE("what a task throws arrives once all have ended", "[autograd][parallel]") {
  const Threads set(2);
  std::atomic<int> ended{0};
  CHECK_THROWS_AS(parallel_tasks(8,
                                 [&](std::int64_t i) {
                                   ++ended;
                                   if (i == 3) throw std::runtime_error("three");
                                 }),
                  std::runtime_error);
  CHECK(ended == 8);
  parallel_tasks(8, [&](std::int64_t) { ++ended; });  // and the team goes on
  CHECK(ended == 16);
}

TEST_CASE("a parallel loop inside another, and one of a second thread, run all the same",
          "[autograd][parallel]") {
  const Threads set(2);
  std::atomic<int> inner{0};
  parallel_tasks(4, [&](std::int64_t) {
    CHECK(team::available() == 1);
    parallel_tasks(5, [&](std::int64_t) { ++inner; });
  });
  CHECK(inner == 20);

  std::array<std::atomic<int>, 2> counts{};
  const auto many = [&](std::atomic<int>& count) {
    for (int job = 0; job < 500; ++job) parallel_tasks(3, [&](std::int64_t) { ++count; });
  };
  std::thread other([&] { many(counts[1]); });
  many(counts[0]);
  other.join();
  CHECK(counts[0] == 1500);
  CHECK(counts[1] == 1500);
}

TEST_CASE("the number of threads is checked, and does not change while they work", "[autograd][parallel]") {
  CHECK_ERROR(set_threads(0), "set_threads: needs a number in [1, 256], and got 0");
  CHECK_ERROR(set_threads(257), "set_threads: needs a number in [1, 256], and got 257");
  const Threads set(2);
  CHECK_ERROR(parallel_tasks(2, [](std::int64_t) { set_threads(3); }),
              "set_threads: the threads are at work");
  CHECK(threads() == 2);
}
