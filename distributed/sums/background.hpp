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

// Calls functions in a separate thread, one after the other.
class Background {
 public:
  Background() : thread_([this](const std::stop_token& stop) { work(stop); }) {}
  // Adds a call. If a call throws, all later calls are dropped until finish().
  void start(std::function<void()> call);
  // Waits until all calls have returned. Rethrows the exception of a call that threw.
  void finish();
  // Total time of the calls, in seconds. Call finish() first.
  double busy() const { return busy_.count(); }

 private:
  void work(const std::stop_token& stop);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::function<void()>> calls_;  // the first one is running
  std::exception_ptr error_;
  std::chrono::duration<double> busy_{0};
  std::jthread thread_;  // the last member, because its thread uses the others
};

}  // namespace gradus::distributed
