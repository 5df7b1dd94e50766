#pragma once

#include <gradus/compress/straight_through.hpp>
#include <gradus/distributed/communicator.hpp>
#include <gradus/distributed/processes.hpp>
#include <gradus/files/folder_lock.hpp>
#include <gradus/models/checkpoint.hpp>
#include <gradus/models/trainer.hpp>
#include <gradus/plot/progress.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "files/corpus.hpp"
#include "files/new_folder.hpp"
#include "files/pretrained.hpp"
#include "files/saved_model.hpp"
#include "settings/settings.hpp"
#include "training/checkpoint_average.hpp"
#include "training/gradual_pruning.hpp"
#include "training/history.hpp"
#include "training/job.hpp"

namespace gradus::tools {

/// A training run and its folder:
///
///     settings.toml       its settings; `gradus train --config` reads them
///     last.safetensors    the latest checkpoint, to resume from
///     best.safetensors    the checkpoint with the best dev score
///     step-S.safetensors  the weights after step S, for each of the newest steps; see CheckpointAverage
///     average.safetensors the mean of these weights
///     log.jsonl           its log, see History
///     curves.svg          the log as curves
///     alignments.svg      attention weights of the best model for a few dev pairs
///     index.html          curves, attention weights and settings on one page
///
/// A run may have several processes. They share gradients and evaluations; only process 0 writes files and
/// reports.
///
/// Files are replaced atomically. The folder is locked against other runs. A new run writes nothing before
/// its first checkpoint, which replaces the previous run in the folder; until then, the previous run stays
/// intact. If nothing was saved, a folder that the run created is removed again.
class TrainingRun {
 public:
  /// Reads the data, makes the model and creates the folder.
  /// @param resumed the checkpoint to resume from, or null
  /// @param processes the processes of the run, including this one; null for one process
  /// @throws Error if the data, the word vectors, or the model of --teacher or --init-from cannot be read,
  /// the folder cannot be written or is in use, memory does not suffice, or the checkpoint does not match the
  /// data, sizes or options. Throws the error of check_agree() if the processes disagree.
  TrainingRun(Settings settings, const models::Checkpoint* resumed, const models::Registry& registry,
              distributed::Communicator* processes = nullptr);

  /// Trains until all steps are done, training stops early, or interrupted() returns true. Then saves, unless
  /// no step was taken. Reports progress on standard error: as a progress bar on a terminal, otherwise as one
  /// line per minute and per evaluation. Returns true if training finished.
  /// @param clock for tests
  /// @throws Error if Trainer::step() throws, or if saving fails; existing checkpoints stay unchanged.
  bool train(const std::function<bool()>& interrupted,
             const plot::ProgressBar::Clock& clock = std::chrono::steady_clock::now);

  /// Text to print before and after training.
  std::string introduction() const;
  std::string summary() const;
  /// Notes about unusual data or models: a single training pair, no dev pairs, files with more than two
  /// columns, a pruned model; other dev pairs or another teacher than before.
  std::vector<std::string> notes() const;
  /// The end of an error message: says what is intact, and how to resume from a checkpoint of this run. Empty
  /// if the folder has no checkpoint. Thread-safe.
  std::string way_on() const;

 private:
  using Clock = std::chrono::steady_clock;

  bool take_steps(const std::function<bool()>& interrupted, const plot::ProgressBar::Clock& clock);
  void start_rounding(const models::Checkpoint* resumed);
  void after_update(std::int64_t step);
  void resume_scores(const models::Checkpoint& resumed, const Settings& before);
  void resume_pruning(const PruneSettings& before);
  void resume_folder();
  std::string command() const;
  bool leads() const { return processes_.rank() == 0; }
  std::vector<Fact> facts_of_data() const;
  void note(const models::TrainStep& step);
  void add_to_history();
  void evaluate();
  bool observe(double score);
  bool is_best(const History::Evaluation& entry);
  History::Evaluation measured(distributed::Communicator& by) const;
  models::Checkpoint checkpoint() const;
  void save(const std::string& name);
  void take_folder(const models::Checkpoint& first);
  void save_last();
  bool is_pruned() const;
  bool counts_for_average() const;
  void resume_average() const;
  void score_average();
  std::string average_line() const;
  void write_log();
  std::string alignments() const;
  std::string page() const;
  std::vector<std::string> fields() const;

  distributed::Alone alone_;
  distributed::Communicator& processes_;
  distributed::SumTimes sum_times_;
  Settings settings_;
  Corpus corpus_;
  Sides sides_;
  std::vector<data::Pair> dev_ids_;
  std::shared_ptr<data::Batches> batches_;
  std::unique_ptr<models::Seq2Seq> model_;
  bool attends_;  // false if unknown
  std::vector<Pretrained> pretrained_;
  std::string initial_note_;             // about the model of --init-from; empty if there is none
  std::string teacher_fingerprint_;      // of the weights of --teacher; empty without it
  std::string teacher_note_;             // if a resumed run has another teacher than before
  std::shared_ptr<RunPruning> pruning_;  // null without pruning
  std::optional<compress::RoundedTraining> rounding_;  // empty without --int8
  bool zeros_change_ = false, scores_change_ = false;  // by other options or dev pairs of a resumed run
  bool has_other_dev_pairs_ = false;                   // than before it was resumed
  std::unique_ptr<models::Trainer> trainer_;
  std::optional<NewFolder> folder_;  // set only in process 0
  std::optional<files::FolderLock> lock_;
  std::atomic<bool> owns_folder_ =
      false;  // true after the first checkpoint of this run; before it, no other file is written
  std::optional<CheckpointAverage> average_;
  std::optional<double> average_score_;
  History history_;
  std::string alignments_;  // SVG of the best model so far

  // Sums since the last training entry in history_.
  struct Sums {
    std::int64_t steps = 0, tokens = 0;
    double loss = 0, cross_entropy = 0, gradient_norm = 0, learning_rate = 0;
    Clock::time_point start = Clock::now();
  } sums_;
  Clock::time_point started_ = Clock::now();
  std::int64_t begin_ = 0;  // the number of steps before train()
};

}  // namespace gradus::tools
