#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>

#pragma GCC visibility push(default)
/// The process-wide team of threads that runs large products and loops.
namespace gradus {

/// The number of threads in the team, including the calling thread. Initially the environment variable
/// GRADUS_NUM_THREADS or, without it, OMP_NUM_THREADS sets this number, to at most 256. If neither is set, it
/// is the smaller of 16 and the number of processors that this process may use. The threads start at the
/// first call of threads() or set_threads(), or when a loop first needs them.
/// @throws Error, on the first use of the team only, when the system cannot start all threads. From then on,
/// the team works with the threads that started.
int threads();
/// Sets the number of threads in the team.
/// @throws Error if `count` is outside [1, 256], if the team is running a loop, or if the system cannot start
/// all threads. In the last case, the team works with the threads that started.
void set_threads(int count);

namespace team {

/// The number of threads that a loop can use now: threads(), or 1 inside a parallel loop.
int available();

/// The number of ranges into which parallel_for splits [0, n).
std::int64_t ranges(std::int64_t n, std::int64_t grain);

using Work = void (*)(const void* context, std::int64_t index);
/// Calls work(context, i) for each i < count. Each thread starts with its own range of the indices; the
/// caller has the first range. A thread that has finished its range takes indices that are left in other
/// ranges. The ranges depend only on `count` and threads().
void run(std::int64_t count, Work work, const void* context);

}  // namespace team

/// Calls work(i) for every i < count in parallel. If a call throws, the other calls still run; then the first
/// exception is rethrown. The calls run one after the other in three cases: with one thread, inside another
/// parallel loop, and while another thread uses the team. In these cases, an exception stops the remaining
/// calls. @throws Error for a count of 2³² or more.
template <class F>
void parallel_tasks(std::int64_t count, const F& work) {
  team::run(
      count, [](const void* f, std::int64_t i) { (*static_cast<const F*>(f))(i); }, std::addressof(work));
}

/// Calls work(begin, end) in parallel for ranges that make up [0, n). Ranges have at least `grain` elements
/// unless n itself is smaller. Choose `grain` so large that the work on `grain` elements takes a few
/// microseconds, because waking a thread takes as long. The ranges depend only on n, grain and
/// team::available(), so results are reproducible with the same number of threads.
template <class F>
void parallel_for(std::int64_t n, std::int64_t grain, const F& work) {
  const std::int64_t count = team::ranges(n, grain);
  if (count <= 1) {
    if (n > 0) work(std::int64_t{0}, n);
    return;
  }
  parallel_tasks(count, [&](std::int64_t i) { work(n * i / count, n * (i + 1) / count); });
}

/// Like parallel_tasks(), for a `work` that runs operations on tensors: each call of `work` has the settings
/// of the thread that called parallel_operations(), such as NoGrad, Composed, PackWeights and the module
/// path. The generator of random numbers is not among these settings: each thread draws from its own default
/// generator. Under a Profile, all calls of `work` run on the thread that called parallel_operations().
void parallel_operations(std::int64_t count, const std::function<void(std::int64_t)>& work);

}  // namespace gradus
#pragma GCC visibility pop
