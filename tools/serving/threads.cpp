#include "serving/threads.hpp"

#include <gradus/autograd/checks.hpp>

#include <system_error>
#include <utility>

namespace gradus::tools {

Threads::Threads(int count) {
  try {
    for (int i = 0; i < count; ++i) threads_.emplace_back([this] { work(); });
  } catch (const std::system_error& error) {
    const std::size_t started = threads_.size();
    end();
    fail("serve", "only ", started, " of ", count, " threads for connections could be started (",
         error.code().message(),
         "); raise the limits on processes (ulimit -u) and memory, or lower --connections");
  }
}

void Threads::enqueue(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  changed_.notify_one();
}

void Threads::end() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void Threads::work() {
  while (true) {
    std::function<void()> task;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return !tasks_.empty() || ends_; });
      if (tasks_.empty()) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    task();
  }
}

}  // namespace gradus::tools
