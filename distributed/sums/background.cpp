#include "sums/background.hpp"

#include <utility>

namespace gradus::distributed {

void Background::start(std::function<void()> call) {
  const std::lock_guard lock(mutex_);
  if (error_) return;
  calls_.push_back(std::move(call));
  changed_.notify_all();
}

void Background::finish() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return calls_.empty(); });
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void Background::work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [this] { return !calls_.empty(); })) {
    const std::function<void()>& call = calls_.front();
    lock.unlock();
    const auto start = std::chrono::steady_clock::now();
    std::exception_ptr error;
    try {
      call();
    } catch (...) {
      error = std::current_exception();
    }
    const auto end = std::chrono::steady_clock::now();
    lock.lock();
    busy_ += end - start;
    calls_.pop_front();
    if (error) {
      error_ = error;
      calls_.clear();
    }
    changed_.notify_all();
  }
}

}  // namespace gradus::distributed
