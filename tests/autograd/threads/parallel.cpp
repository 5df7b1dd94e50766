#include <gradus/autograd/parallel.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <vector>

#include "autograd/helpers.hpp"
#include "memory/sanitizers.hpp"

using namespace gradus;
using Catch::Matchers::ContainsSubstring;

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

TEST_CASE("thousands of short jobs run completely", "[autograd][parallel]") {
  const Threads set(4);
  std::atomic<std::int64_t> sum{0};
  for (std::int64_t job = 0; job < 5000; ++job) {
    parallel_tasks(1 + job % 6, [&](std::int64_t i) { sum += i + 1; });
  }
  std::int64_t expected = 0;
  for (std::int64_t job = 0; job < 5000; ++job) expected += (1 + job % 6) * (2 + job % 6) / 2;
  CHECK(sum == expected);
}

TEST_CASE("each thread starts with the same index in every job", "[autograd][parallel]") {
  constexpr std::size_t count = 3;
  const Threads set(count);
  std::array<std::thread::id, count> first;
  for (int job = 0; job < 200; ++job) {
    std::array<std::thread::id, count> by;
    std::atomic<std::size_t> begun{0};
    parallel_tasks(count, [&](std::int64_t i) {
      by[static_cast<std::size_t>(i)] = std::this_thread::get_id();
      // A barrier: waits until every thread has started its first index.
      for (++begun; begun < count;) std::this_thread::yield();
    });
    if (job == 0) first = by;
    REQUIRE(by == first);
  }
  CHECK(first[0] == std::this_thread::get_id());
}

TEST_CASE("a task's exception is rethrown after all tasks have ended", "[autograd][parallel]") {
  const Threads set(2);
  std::atomic<int> ended{0};
  CHECK_THROWS_AS(parallel_tasks(8,
                                 [&](std::int64_t i) {
                                   ++ended;
                                   if (i == 3) throw std::runtime_error("three");
                                 }),
                  std::runtime_error);
  CHECK(ended == 8);
  parallel_tasks(8, [&](std::int64_t) { ++ended; });  // the team still works after the exception
  CHECK(ended == 16);
}

TEST_CASE("more tasks than the team can count are rejected", "[autograd][parallel]") {
  const Threads set(2);
  CHECK_ERROR(parallel_tasks(std::int64_t{1} << 32, [](std::int64_t) {}),
              "parallel_tasks: 4294967296 calls are too many, the limit is 4294967295; use parallel_for()");
}

TEST_CASE("nested parallel loops, and loops of two threads at once, run completely", "[autograd][parallel]") {
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

TEST_CASE("set_threads() checks its argument and fails while the team works", "[autograd][parallel]") {
  CHECK_ERROR(set_threads(0), "set_threads: needs a number in [1, 256], and got 0");
  CHECK_ERROR(set_threads(257), "set_threads: needs a number in [1, 256], and got 257");
  const Threads set(2);
  CHECK_ERROR(parallel_tasks(2, [](std::int64_t) { set_threads(3); }),
              "set_threads: the threads are running a loop; call it before or after");
  CHECK(threads() == 2);
}

namespace {

// Lets the process start only a few threads: each thread has 1 GB of stack, so 3 GB of address space suffice
// for at most two threads. This works for any user, and in a container.
constexpr rlim_t stack_bytes = rlim_t{1} << 30, address_bytes = 3 * stack_bytes;

void limit(int resource, rlim_t bytes) {
  rlimit limits{};
  REQUIRE(getrlimit(resource, &limits) == 0);
  limits.rlim_cur = bytes;
  REQUIRE(setrlimit(resource, &limits) == 0);
}

std::int64_t sum_below(std::int64_t n) {
  std::atomic<std::int64_t> sum{0};
  parallel_tasks(n, [&](std::int64_t i) { sum += i; });
  return sum;
}

// Runs a hidden child test in a process that can start only a few threads. Returns its output, or "no such
// stack" if the limit of the stack's size is too low.
std::string with_few_threads(const std::string& test, const std::string& threads) {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe");
  const std::string command =
      "GRADUS_NUM_THREADS=" + threads + " OPENBLAS_NUM_THREADS=1 '" + program + "' '" + test + "' 2>&1";
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_STACK, &before) == 0);
  if (before.rlim_max != RLIM_INFINITY && before.rlim_max < stack_bytes) return "no such stack";
  limit(RLIMIT_STACK, stack_bytes);  // the child process inherits the limit
  std::FILE* child = popen(command.c_str(), "r");
  limit(RLIMIT_STACK, before.rlim_cur);
  REQUIRE(child != nullptr);
  std::string output;
  std::array<char, 256> part{};
  while (std::fgets(part.data(), part.size(), child) != nullptr) output += part.data();
  CHECK(pclose(child) == 0);
  return output;
}

}  // namespace

TEST_CASE("child process: starts with too many threads", "[.too-many-at-the-start]") {
  limit(RLIMIT_AS, address_bytes);
  try {
    std::cout << "started " << threads() << '\n';
  } catch (const Error& error) {
    std::cout << error.what() << '\n';
  }
  std::cout << (threads() > 1 && threads() < 8 ? "few" : "wrong") << ", " << sum_below(1000) << std::endl;
}

TEST_CASE("child process: asks for too many threads", "[.too-many-later]") {
  const std::int64_t before = sum_below(1000);
  limit(RLIMIT_AS, address_bytes);
  try {
    set_threads(8);
  } catch (const Error& error) {
    std::cout << error.what() << '\n';
  }
  std::cout << (threads() > 1 && threads() < 8 ? "few" : "wrong") << ", " << sum_below(1000) - before << '\n';
  set_threads(2);
  std::cout << threads() << ", " << sum_below(1000) - before << std::endl;
}

TEST_CASE("failing to start threads is an error, and the team works with those that started",
          "[autograd][parallel]") {
  if (sanitized) return;  // sanitizers need more address space
  const std::string start = with_few_threads("[.too-many-at-the-start]", "8");
  if (start == "no such stack") return;
  CAPTURE(start);
  CHECK_THAT(start,
             ContainsSubstring("threads: only ") &&
                 ContainsSubstring(
                     " of 8 threads could be started (Resource temporarily unavailable), and the team "
                     "works with those; raise the limits on processes (ulimit -u) and memory, or ask for "
                     "fewer with set_threads() or GRADUS_NUM_THREADS\nfew, 499500\n"));
  const std::string later = with_few_threads("[.too-many-later]", "1");
  CAPTURE(later);
  CHECK_THAT(later, ContainsSubstring("set_threads: only ") &&
                        ContainsSubstring(" of 8 threads could be started") &&
                        ContainsSubstring("\nfew, 0\n2, 0\n"));
}
