#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace gradus::distributed {

// Calls functions in a thread of its own, one after the other.
class Background {
 public:
  Background() : thread_([this](const std::stop_token& stop) { work(stop); }) {}
  // Adds a call. After a call has thrown, calls are dropped until finish().
  void start(std::function<void()> call);
  // Waits until all calls have returned. Throws what one of them threw.
  void finish();
  // Seconds in which calls ran. Call finish() first.
  double busy() const { return busy_.count(); }

 private:
  void work(const std::stop_token& stop);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::function<void()>> calls_;  // the first one is running
  std::exception_ptr error_;
  std::chrono::duration<double> busy_{0};
  std::jthread thread_;  // the last member: it uses the others
};

}  // namespace gradus::distributed
