#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace gradus::tools {

/// Threads that run tasks. If a thread cannot be started, httplib::ThreadPool ends the program. This class
/// throws Error instead.
class Threads {
 public:
  explicit Threads(int count);
  ~Threads() { end(); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  void enqueue(std::function<void()> task);
  /// Runs the tasks in the queue, and ends the threads.
  void end();

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  bool ends_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace gradus::tools
