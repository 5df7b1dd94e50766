#pragma once

#include <gradus/files/folder_lock.hpp>
#include <gradus/models/checkpoint.hpp>
#include <gradus/models/trainer.hpp>
#include <gradus/plot/output.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "corpus.hpp"
#include "history.hpp"
#include "settings.hpp"

namespace gradus::tools {

/// One run of training, and its folder:
///
///     settings.toml       what it was made with; `gradus train --config` reads it
///     last.safetensors    the newest checkpoint, from which it goes on
///     best.safetensors    the one with the best score on the dev text
///     log.jsonl           its course, see History
///     curves.svg          the same, drawn
///     alignments.svg      where the best model so far looks, in a few pairs of the dev text
///     index.html          all of that on one page
///
/// Each is whole at any moment, and no other run may have the folder meanwhile.
class TrainingRun {
 public:
  /// Reads the data, makes the model, and creates the folder, from which the run that it held before is
  /// removed unless that is the one that goes on.
  /// @param resumed a checkpoint to go on from, or null
  /// @throws Error when the data cannot be read, the folder cannot be written or is in use, or the checkpoint
  /// is of other data, sizes or options.
  TrainingRun(Settings settings, const models::Checkpoint* resumed, const models::Registry& registry);

  /// Trains until all steps are taken, patience has run out, or `interrupted()`; then saves. Says on standard
  /// error (a terminal: in a progress bar) how far it is. Whether it came to its end.
  /// @throws Error as Trainer::step, and when it cannot save; the checkpoints before are as they were.
  bool train(const std::function<bool()>& interrupted);

  /// What there is to say before training, and after it.
  std::string introduction() const;
  std::string summary() const;

 private:
  using Clock = std::chrono::steady_clock;

  bool take_steps(const std::function<bool()>& interrupted);
  std::string way_on() const;
  void note(const models::TrainStep& step);
  void add_to_history();
  void evaluate();
  bool is_best(const History::Evaluation& entry);
  void save(const std::string& name);
  void save_last();
  void write_log();
  std::string alignments() const;
  std::string page() const;
  std::vector<std::string> fields() const;

  Settings settings_;
  Corpus corpus_;
  Sides sides_;
  std::vector<data::Pair> dev_ids_;
  std::shared_ptr<data::Batches> batches_;
  std::unique_ptr<models::Seq2Seq> model_;
  std::unique_ptr<models::Trainer> trainer_;
  plot::OutputFolder folder_;
  files::FolderLock lock_;
  History history_;
  std::string alignments_;  // SVG, of the best model so far

  // Since the entry before in the history.
  struct Sums {
    std::int64_t steps = 0, tokens = 0;
    double loss = 0, cross_entropy = 0, gradient_norm = 0, learning_rate = 0;
    Clock::time_point start = Clock::now();
  } sums_;
  Clock::time_point started_ = Clock::now();
};

}  // namespace gradus::tools
