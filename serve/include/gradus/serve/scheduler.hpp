#pragma once

#include <gradus/models/running_batch.hpp>

#include <atomic>
#include <cstdint>
#include <future>
#include <memory>
#include <span>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::serve {

/// A source to decode.
struct Job {
  std::vector<std::int64_t> source;  ///< not empty
  models::SearchSteps search;
  models::MaxSteps max_steps = {};
  std::int64_t rows = 1;  ///< hypotheses per step: the width of the beam
};

/// A submitted job. Setting `*cancelled` to true stops the job at the next step.
struct Ticket {
  /// The outputs, best first. Empty if the job was cancelled before its end. If the job failed, get()
  /// rethrows its exception.
  std::future<std::vector<models::Decoded>> outputs;
  std::shared_ptr<std::atomic<bool>> cancelled;
};

struct SchedulerOptions {
  int workers = 1;                    ///< threads, each with its own batches; only one if the model is not
                                      ///< thread-safe
  std::int64_t most_waiting = 1024;   ///< limit of jobs that wait for a batch
  std::int64_t most_rows = 128;       ///< limit of hypotheses in a batch
  std::int64_t batch_tokens = 16384;  ///< limit of rows · source length per batch
  std::int64_t cache_bytes = 0;       ///< limit of the models::StartCache of all workers; 0: no cache
};

/// Decodes jobs in running batches (models::RunningBatch). Many threads may submit jobs. A job can join a
/// batch after any decoder step, and leaves the batch when the job's search has ended. Sources of similar
/// length share a batch. A worker runs one step of each of its batches in turn, so that a short job need not
/// wait for a long one. A job that exceeds the limits of a batch runs in a batch by itself.
class Scheduler {
 public:
  /// @param model must be in eval mode, outlive this object, and not change
  /// @throws Error if a worker's thread cannot be started.
  Scheduler(const models::Ensemble& model, const SchedulerOptions& options);
  /// Blocks until all running and queued jobs are finished.
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  /// Queues all jobs. If they do not all fit into the queue, queues none and returns an empty vector.
  std::vector<Ticket> submit(std::vector<Job> jobs);

  struct Load {
    std::int64_t waiting, running;  ///< jobs
    std::int64_t steps, rows;       ///< steps of all batches, and the sum of their rows; a job's first step,
                                    ///< which it takes before it joins a batch, does not count
    models::StartCache::Use cache;
  };
  Load load() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace gradus::serve
#pragma GCC visibility pop
