#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/memory.hpp>
#include <gradus/autograd/pack_weights.hpp>
#include <gradus/serve/scheduler.hpp>

#include <algorithm>
#include <bit>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

namespace gradus::serve {
namespace {

struct Task {
  Job job;
  std::promise<std::vector<models::Decoded>> promise;
  std::shared_ptr<std::atomic<bool>> cancelled;
};
using Tasks = std::map<models::RunningBatch::Id, Task>;

// The class of a source's length. The classes end at 32, 64, 128 … tokens.
int length_class(std::int64_t length) {
  return static_cast<int>(
      std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(length - 1, 0) / 32)));
}

// A running batch for the sources of one class of lengths.
class LengthBatch {
 public:
  LengthBatch(const models::Ensemble& model, models::StartCache* cache, std::int64_t most_rows)
      : model_(model), cache_(cache), most_rows_(most_rows), batch_(std::in_place, model, cache) {}

  bool empty() const { return tasks_.empty() && waiting_.empty(); }
  std::int64_t jobs() const { return std::ssize(tasks_) + std::ssize(waiting_); }

  bool has_place_for(const Job& job) const { return empty() || rows_ + job.rows <= most_rows_; }

  void take(Task task) {
    rows_ += task.job.rows;
    waiting_.push_back(std::move(task));
  }

  // Runs one decoder step. Returns the batch's number of rows.
  std::int64_t step() {
    for (auto task = tasks_.begin(); task != tasks_.end();) {
      const bool stops = task->second.cancelled->load();
      if (stops) leave(task->first, task->second);
      task = stops ? tasks_.erase(task) : std::next(task);
    }
    // Joining copies the batch's memory. Therefore newcomers wait until there is one newcomer for every four
    // tasks in the batch. They wait for at most `most_waits` steps.
    ++waited_;
    if (!waiting_.empty() && (4 * std::ssize(waiting_) >= std::ssize(tasks_) || waited_ >= most_waits)) {
      join(std::exchange(waiting_, {}));
    }
    if (tasks_.empty()) return 0;
    try {
      finish();
      batch_->step();
      finish();
    } catch (...) {
      fail_all();
    }
    return batch_->rows();
  }

 private:
  static constexpr int most_waits = 4;

  void join(std::vector<Task> tasks) {
    waited_ = 0;
    try {
      std::vector<models::RunningBatch::Newcomer> newcomers;
      for (const Task& task : tasks) {
        newcomers.push_back({next_ + newcomers.size(), task.job.source, task.job.search, task.job.max_steps});
      }
      batch_->join(newcomers);
    } catch (...) {
      if (tasks.size() == 1) {
        rows_ -= tasks[0].job.rows;
        return tasks[0].promise.set_exception(std::current_exception());
      }
      for (Task& task : tasks) {  // join each task by itself, so that a wrong task does not fail the others
        std::vector<Task> one;
        one.push_back(std::move(task));
        join(std::move(one));
      }
      return;
    }
    for (Task& task : tasks) tasks_.emplace(next_++, std::move(task));
  }

  void finish() {
    for (auto& [id, outputs] : batch_->take_finished()) {
      const auto task = tasks_.find(id);
      if (task == tasks_.end()) continue;
      rows_ -= task->second.job.rows;
      task->second.promise.set_value(std::move(outputs));
      tasks_.erase(task);
    }
  }

  void leave(models::RunningBatch::Id id, Task& task) {
    batch_->cancel(id);
    rows_ -= task.job.rows;
    task.promise.set_value({});
  }

  void fail_all() {
    for (auto& [id, task] : tasks_) {
      rows_ -= task.job.rows;
      task.promise.set_exception(std::current_exception());
    }
    tasks_.clear();
    batch_.emplace(model_, cache_);
  }

  models::Ensemble model_;
  models::StartCache* cache_;  // or null
  std::int64_t most_rows_, rows_ = 0;
  std::optional<models::RunningBatch> batch_;
  Tasks tasks_;                // tasks in the batch
  std::vector<Task> waiting_;  // tasks that wait to join
  models::RunningBatch::Id next_ = 0;
  int waited_ = 0;  // steps since tasks last joined
};

}  // namespace

class Scheduler::Impl {
 public:
  Impl(const models::Ensemble& model, const SchedulerOptions& options)
      : model_(model), options_(options), cache_(options.cache_bytes) {
    const int workers = model.can_be_shared() ? std::max(options.workers, 1) : 1;
    try {
      for (int i = 0; i < workers; ++i) workers_.emplace_back([this] { work(); });
    } catch (const std::system_error& error) {
      const std::size_t started = workers_.size();
      end();
      fail("serve", "only ", started, " of ", workers, " threads could be started (", error.code().message(),
           "); raise the limits on processes (ulimit -u) and memory, or ask for fewer");
    }
  }

  ~Impl() { end(); }

  std::vector<Ticket> submit(std::vector<Job> jobs) {
    std::vector<Ticket> tickets;
    {
      const std::lock_guard lock(mutex_);
      if (std::ssize(queue_) + std::ssize(jobs) > options_.most_waiting) return tickets;
      for (Job& job : jobs) {
        Task task{std::move(job), {}, std::make_shared<std::atomic<bool>>(false)};
        tickets.push_back({task.promise.get_future(), task.cancelled});
        queue_.push_back(std::move(task));
      }
    }
    changed_.notify_all();
    return tickets;
  }

  Load load() const {
    const std::lock_guard lock(mutex_);
    return {std::ssize(queue_), running_, steps_, rows_, cache_.use()};
  }

 private:
  // Waits for the jobs, and ends the workers.
  void end() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    changed_.notify_all();
    for (std::thread& worker : workers_) worker.join();
  }

  // The batches' sizes vary, so the memory pool collects free buffers of ever more sizes. A worker releases
  // these buffers after this many turns, which take seconds to minutes.
  static constexpr std::int64_t turns_between_releases = 2000;

  void work() {
    const PackWeights pack_weights;
    std::map<int, LengthBatch> batches;
    const auto is_busy = [&] {
      return std::ranges::any_of(batches, [](const auto& batch) { return !batch.second.empty(); });
    };
    std::int64_t before = 0, rows = 0, turns = 0;
    while (true) {
      if (++turns % turns_between_releases == 0) release_pooled_memory();
      {
        std::unique_lock lock(mutex_);
        if (!is_busy()) changed_.wait(lock, [&] { return !queue_.empty() || ends_; });
        if (!is_busy() && queue_.empty()) return;
        take(batches);
      }
      std::int64_t stepped = 0, jobs = 0;
      for (auto& [length, batch] : batches) {
        if (batch.empty()) continue;
        rows += batch.step();
        ++stepped;
      }
      for (const auto& [length, batch] : batches) jobs += batch.jobs();
      const std::lock_guard lock(mutex_);
      steps_ += stepped;
      rows_ += std::exchange(rows, 0);
      running_ += jobs - std::exchange(before, jobs);
    }
  }

  // Moves queued jobs, oldest first, into batches with room for them. A worker takes at most the number of
  // queued jobs, divided by the number of workers and rounded up.
  void take(std::map<int, LengthBatch>& batches) {
    const auto workers = std::ssize(workers_);
    models::StartCache* const cache = options_.cache_bytes > 0 ? &cache_ : nullptr;
    std::int64_t part = (std::ssize(queue_) + workers - 1) / std::max<std::int64_t>(workers, 1);
    for (auto task = queue_.begin(); task != queue_.end() && part > 0;) {
      const int length = length_class(std::ssize(task->job.source));
      const std::int64_t fits = options_.batch_tokens / (std::int64_t{32} << length);
      LengthBatch& batch =
          batches.try_emplace(length, model_, cache, std::clamp<std::int64_t>(fits, 1, options_.most_rows))
              .first->second;
      if (task->cancelled->load()) {
        task->promise.set_value({});
      } else if (batch.has_place_for(task->job)) {
        batch.take(std::move(*task));
        --part;
      } else {
        ++task;
        continue;
      }
      task = queue_.erase(task);
    }
  }

  const models::Ensemble model_;
  const SchedulerOptions options_;
  models::StartCache cache_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> queue_;
  bool ends_ = false;
  std::int64_t running_ = 0, steps_ = 0, rows_ = 0;
  std::vector<std::thread> workers_;
};

Scheduler::Scheduler(const models::Ensemble& model, const SchedulerOptions& options)
    : impl_(std::make_unique<Impl>(model, options)) {}
Scheduler::~Scheduler() = default;
std::vector<Ticket> Scheduler::submit(std::vector<Job> jobs) { return impl_->submit(std::move(jobs)); }
Scheduler::Load Scheduler::load() const { return impl_->load(); }

}  // namespace gradus::serve
