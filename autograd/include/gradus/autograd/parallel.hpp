#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>

#pragma GCC visibility push(default)
/// The one team of threads that large products and loops are shared among.
namespace gradus {

/// How many threads work together, the calling one included. At the start GRADUS_NUM_THREADS, or
/// OMP_NUM_THREADS, or as many as this process may use processors, 16 at the most. They are started when
/// threads() or a loop first needs them. @throws Error, once, when the system refuses to start one; the
/// team then works with those that were started.
int threads();
/// @throws Error unless `count` is in [1, 256], while the team is at work, and when the system refuses to
/// start a thread; the team then works with those that were started.
void set_threads(int count);

namespace team {

/// threads(), but 1 for a thread that is at work for the team already.
int available();

/// How many ranges parallel_for makes of [0, n).
std::int64_t ranges(std::int64_t n, std::int64_t grain);

using Work = void (*)(const void* context, std::int64_t index);
/// work(context, i) for each i < count. Each thread of the team begins with a share of its own, the calling
/// one with the first, which is the same whenever there are so many; then it goes on with what others have
/// left.
void run(std::int64_t count, Work work, const void* context);

}  // namespace team

/// work(i) for every i < count, side by side. What a call throws, this throws when all have ended. Inside
/// another such loop, and when another thread has the team, it is a plain loop.
template <class F>
void parallel_tasks(std::int64_t count, const F& work) {
  team::run(
      count, [](const void* f, std::int64_t i) { (*static_cast<const F*>(f))(i); }, std::addressof(work));
}

/// work(begin, end) for ranges that together are [0, n), side by side. No range is shorter than `grain`, but
/// a whole [0, n) that is: choose it so that a range is worth some microseconds, which is what waking another
/// thread costs. The ranges depend on n, grain and threads() alone, so that results can be repeated.
template <class F>
void parallel_for(std::int64_t n, std::int64_t grain, const F& work) {
  const std::int64_t count = team::ranges(n, grain);
  if (count <= 1) {
    if (n > 0) work(std::int64_t{0}, n);
    return;
  }
  parallel_tasks(count, [&](std::int64_t i) { work(n * i / count, n * (i + 1) / count); });
}

/// work(i) for every i < count, side by side, for work that consists of operations on tensors: as
/// parallel_tasks, and each thread records, composes, packs weights and so on as the calling one does. What
/// is drawn at random comes from the default generator of whichever thread draws, and under a Profile all
/// runs on the calling thread.
void parallel_operations(std::int64_t count, const std::function<void(std::int64_t)>& work);

}  // namespace gradus
#pragma GCC visibility pop
