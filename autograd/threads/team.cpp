#include <gradus/autograd/parallel.hpp>
#include <gradus/autograd/scope.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <limits>
#include <mutex>
#include <sched.h>
#include <string>
#include <system_error>
#include <thread>
#include <tuple>
#include <vector>

namespace gradus {
namespace {

constexpr int most_threads = 256;

int processors() {
#if defined(__linux__)
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
#endif
  return static_cast<int>(std::thread::hardware_concurrency());
}

int threads_at_start() {
  for (const char* name : {"GRADUS_NUM_THREADS", "OMP_NUM_THREADS"}) {
    const char* text = std::getenv(name);
    const int count = text == nullptr ? 0 : std::atoi(text);
    if (count >= 1) return std::min(count, most_threads);
  }
  return std::clamp(processors(), 1, 16);
}

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// How long an idle thread polls for work before it sleeps. Waking a thread takes longer than most parallel
// loops. So threads stay awake while the caller runs loops that are too short to split.
constexpr std::chrono::microseconds patience{100};
// How many times the caller polls for the end of a job before it starts to yield.
constexpr int short_wait = 1000;
// How many times an idle thread polls between two readings of the clock.
constexpr int polls = 32;

thread_local bool at_work = false;

// Marks this thread's loops as nested, and restores the previous mark when destroyed.
class AtWork {
 public:
  AtWork() { at_work = true; }
  ~AtWork() { at_work = was_; }
  AtWork(const AtWork&) = delete;
  AtWork& operator=(const AtWork&) = delete;

 private:
  const bool was_ = at_work;
};

// Each thread starts with its own range of a job's indices. Jobs with the same number of indices
// have the same ranges, so that a thread finds the data of the previous loop in its core's cache. A thread
// that has finished its range takes indices from other ranges. So a loop loses little time to a core that
// another program uses.
//
// A range is one atomic number: the job's number in the upper half, the next index in the lower half. A
// thread takes an index by a compare-and-swap, which fails if the job has changed. So a late thread, which
// still runs an earlier job, takes no index of the current job. The caller never waits for a thread that has
// taken no index.
class Team {
 public:
  Team() = default;
  ~Team() { stop(); }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int size() const { return size_.load(std::memory_order_relaxed); }

  void resize(int size) {
    if (started_ && size == this->size()) return;
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock() || at_work)
      fail("set_threads", "the threads are running a loop; call it before or after");
    started_ = true;
    stop();
    start("set_threads", size);
  }

  // Starts the threads, unless resize() has started them. Throws at most once.
  bool start_once() {
    const std::lock_guard lock(mutex_);
    if (!started_.exchange(true)) start("threads", threads_at_start());
    return true;
  }

  // Runs a job and returns true. If the team is in use, returns false without running the job.
  bool run(std::int64_t count, team::Work work, const void* context) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) return false;
    work_.store(work, std::memory_order_relaxed);
    context_.store(context, std::memory_order_relaxed);
    count_.store(static_cast<std::uint32_t>(count), std::memory_order_relaxed);
    done_.store(0, std::memory_order_relaxed);
    error_ = nullptr;
    const std::uint32_t job = job_.load(std::memory_order_relaxed) + 1;
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
      ranges_[i].next.store(in_job(job, bound(i)), std::memory_order_relaxed);
    }
    job_.store(job, std::memory_order_seq_cst);
    if (asleep_.load(std::memory_order_seq_cst) > 0) job_.notify_all();
    take(job, 0);
    for (int poll = 0; done_.load(std::memory_order_acquire) != static_cast<std::uint32_t>(count); ++poll) {
      poll < short_wait ? pause() : std::this_thread::yield();
    }
    close(job);
    if (error_) std::rethrow_exception(error_);
    return true;
  }

 private:
  struct alignas(64) Range {
    std::atomic<std::uint64_t> next{0};
  };

  static std::uint64_t in_job(std::uint32_t job, std::uint32_t index) {
    return std::uint64_t{job} << 32 | index;
  }

  // The first index of range i. It is also the end of range i − 1.
  std::uint32_t bound(std::size_t i) const {
    return static_cast<std::uint32_t>(count_.load(std::memory_order_relaxed) * std::uint64_t{i} /
                                      ranges_.size());
  }

  // Marks every index as taken, so that a late thread cannot take one while the next job is being set up.
  void close(std::uint32_t job) {
    for (Range& range : ranges_) {
      range.next.exchange(in_job(job, std::numeric_limits<std::uint32_t>::max()), std::memory_order_acq_rel);
    }
  }

  // Starts size − 1 threads; the calling thread is the first thread of the team. Throws Error if the system
  // refuses a thread. The team then works with the threads that started.
  void start(const char* operation, int size) {
    size_ = 1;
    stopping_ = false;
    ranges_ = std::vector<Range>(static_cast<std::size_t>(size));
    workers_.reserve(ranges_.size());
    try {
      for (; size_ < size; ++size_) {
        workers_.emplace_back([this, i = workers_.size() + 1, seen = job_.load()]() mutable {
          while (true) {
            seen = wait_for_job_after(seen);
            if (stopping_.load(std::memory_order_relaxed)) return;
            take(seen, i);
          }
        });
      }
    } catch (const std::system_error& error) {
      fail(operation, "only ", this->size(), " of ", size, " threads could be started (",
           error.code().message(),
           "), and the team works with those; raise the limits on processes (ulimit -u) and memory, or ask "
           "for "
           "fewer with set_threads() or GRADUS_NUM_THREADS");
    }
  }

  void stop() {
    stopping_ = true;
    ++job_;
    job_.notify_all();
    for (std::thread& worker : workers_) worker.join();
    workers_.clear();
  }

  std::uint32_t wait_for_job_after(std::uint32_t seen) {
    const auto until = std::chrono::steady_clock::now() + patience;
    do {
      for (int poll = 0; poll < polls; ++poll) {
        const std::uint32_t job = job_.load(std::memory_order_acquire);
        if (job != seen) return job;
        pause();
      }
    } while (std::chrono::steady_clock::now() < until);
    asleep_.fetch_add(1, std::memory_order_seq_cst);
    std::uint32_t job = job_.load(std::memory_order_seq_cst);
    for (; job == seen; job = job_.load(std::memory_order_acquire)) job_.wait(seen);
    asleep_.fetch_sub(1, std::memory_order_relaxed);
    return job;
  }

  // Runs the remaining indices of a job, starting with range `own`.
  void take(std::uint32_t job, std::size_t own) {
    const AtWork guard;
    for (std::size_t i = 0; i < ranges_.size(); ++i) take_range(job, (own + i) % ranges_.size());
  }

  void take_range(std::uint32_t job, std::size_t i) {
    std::atomic<std::uint64_t>& range = ranges_[i].next;
    std::uint64_t next = range.load(std::memory_order_acquire);
    while (next >> 32 == job) {
      const auto index = static_cast<std::uint32_t>(next);
      const team::Work work = work_.load(std::memory_order_relaxed);
      const void* context = context_.load(std::memory_order_relaxed);
      if (index >= bound(i + 1)) break;
      if (!range.compare_exchange_weak(next, next + 1, std::memory_order_acq_rel)) continue;
      try {
        work(context, index);
      } catch (...) {
        const std::lock_guard lock(error_mutex_);
        if (!error_) error_ = std::current_exception();
      }
      done_.fetch_add(1, std::memory_order_release);
      next = range.load(std::memory_order_acquire);
    }
  }

  std::mutex mutex_;  // held while a job runs, and while threads start or stop
  std::vector<std::thread> workers_;
  std::vector<Range> ranges_;  // the first range belongs to the calling thread
  std::atomic<int> size_{1}, asleep_{0};
  std::atomic<bool> started_{false}, stopping_{false};

  // The current job. A late thread may read values of the next job here, but then gets no index.
  std::atomic<team::Work> work_{nullptr};
  std::atomic<const void*> context_{nullptr};
  std::atomic<std::uint32_t> count_{0};
  alignas(64) std::atomic<std::uint32_t> job_{0};  // the number of the job
  alignas(64) std::atomic<std::uint32_t> done_{0};
  std::mutex error_mutex_;
  std::exception_ptr error_;
};

Team& unstarted_team() {
  static Team team;
  return team;
}

Team& the_team() {
  static const bool started = unstarted_team().start_once();
  std::ignore = started;
  return unstarted_team();
}

}  // namespace

int threads() { return the_team().size(); }

void set_threads(int count) {
  if (count < 1 || count > most_threads)
    fail("set_threads", "needs a number in [1, ", most_threads, "], and got ", count);
  unstarted_team().resize(count);
}

int team::available() { return at_work ? 1 : threads(); }

std::int64_t team::ranges(std::int64_t n, std::int64_t grain) {
  if (n < 2 * grain) return 1;
  const std::int64_t size = available();
  // Makes up to four ranges per thread, so that other threads can take over the ranges of a delayed thread.
  return size == 1 ? 1 : std::min(n / grain, 4 * size);
}

void team::run(std::int64_t count, Work work, const void* context) {
  constexpr std::int64_t most = std::numeric_limits<std::uint32_t>::max();
  if (count > most)
    fail("parallel_tasks", count, " calls are too many, the limit is ", most, "; use parallel_for()");
  if (count > 1 && available() > 1) {
    if (the_team().run(count, work, context)) return;
    const AtWork guard;  // a nested loop makes one range, as it does in the team
    for (std::int64_t i = 0; i < count; ++i) work(context, i);
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) work(context, i);
}

}  // namespace gradus
