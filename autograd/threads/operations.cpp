#include <gradus/autograd/parallel.hpp>

#include <utility>

#include "memory/pool.hpp"
#include "runtime/profile_state.hpp"
#include "runtime/runtime_state.hpp"

namespace gradus {
namespace {

// Sets this thread's state, and restores the previous state when destroyed.
class InState {
 public:
  explicit InState(const ThreadState& other) : own_(std::exchange(thread_state(), other)) {}
  ~InState() { thread_state() = own_; }
  InState(const InState&) = delete;
  InState& operator=(const InState&) = delete;

 private:
  const ThreadState own_;
};

}  // namespace

void parallel_operations(std::int64_t count, const std::function<void(std::int64_t)>& work) {
  if (profile != nullptr) {
    for (std::int64_t i = 0; i < count; ++i) work(i);
    return;
  }
  const bool side_by_side = team::available() > 1;
  parallel_tasks(count, [&, callers = thread_state()](std::int64_t i) {
    ThreadState own = callers;
    if (side_by_side) own.shelf = static_cast<std::size_t>(i) % pool::shelves;
    const InState guard(own);
    work(i);
  });
}

}  // namespace gradus
