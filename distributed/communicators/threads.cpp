#include <gradus/autograd/scope.hpp>
#include <gradus/distributed/threads.hpp>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "communicators/check_call.hpp"

namespace gradus::distributed {
namespace {

using Bytes = std::vector<std::byte>;

// All messages that were sent but not yet received. Also the number and the exception of the first thread
// that failed.
class Post {
 public:
  explicit Post(std::int64_t count) : count_(count), boxes_(static_cast<std::size_t>(count * count)) {}

  void send(std::int64_t from, std::int64_t to, std::span<const std::byte> bytes) {
    const std::lock_guard lock(mutex_);
    box(from, to).emplace_back(bytes.begin(), bytes.end());
    changed_.notify_all();
  }
  Bytes receive(std::int64_t from, std::int64_t to) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !box(from, to).empty() || failed_ >= 0; });
    if (box(from, to).empty()) fail("Communicator", "process ", failed_, " of ", count_, " has failed");
    Bytes bytes = std::move(box(from, to).front());
    box(from, to).pop_front();
    return bytes;
  }
  void fail_from(std::int64_t rank, std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    if (failed_ >= 0) return;
    failed_ = rank;
    error_ = std::move(error);
    changed_.notify_all();
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::deque<Bytes>& box(std::int64_t from, std::int64_t to) {
    return boxes_[static_cast<std::size_t>(from * count_ + to)];
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::int64_t count_, failed_ = -1;
  std::vector<std::deque<Bytes>> boxes_;
  std::exception_ptr error_;
};

class OfThread : public Communicator {
 public:
  OfThread(Post& post, std::int64_t rank, std::int64_t size) : post_(post), rank_(rank), size_(size) {}
  std::int64_t rank() const override { return rank_; }
  std::int64_t size() const override { return size_; }
  void exchange(std::int64_t peer, std::span<const std::byte> out, std::span<std::byte> in) override {
    check_peer(rank_, size_, peer);
    post_.send(rank_, peer, out);
    const Bytes bytes = post_.receive(peer, rank_);
    check_received(rank_, peer, in.size(), bytes.size());
    std::ranges::copy(bytes, in.begin());
  }

 private:
  Post& post_;
  std::int64_t rank_, size_;
};

}  // namespace

void run_as_threads(std::int64_t count, const std::function<void(Communicator&)>& f) {
  if (count < 1) fail("run_as_threads", "the number of threads must be at least 1, and is ", count);
  Post post(count);
  {
    std::vector<std::jthread> threads;
    for (std::int64_t rank = 0; rank < count; ++rank) {
      threads.emplace_back([&post, &f, rank, count] {
        try {
          OfThread self(post, rank, count);
          f(self);
        } catch (...) {
          post.fail_from(rank, std::current_exception());
        }
      });
    }
  }
  post.rethrow();
}

}  // namespace gradus::distributed
