#pragma once

#include <gradus/models/trainer.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace gradus::tools {

/// The log of a run, stored in `log.jsonl` as one JSON object per line. A training entry has means over the
/// steps since the previous entry; its learning_rate is the latest value:
///
///     {"step": 100, "loss": …, "cross_entropy": …, "gradient_norm": …, "learning_rate": …,
///     "tokens_per_second": …}
///
/// An evaluation has dev_bleu and dev_exact only if they were measured:
///
///     {"step": 500, "dev_loss": …, "dev_perplexity": …, "score": …, "best": true, "seconds": …}
class History {
 public:
  struct Training {
    std::int64_t step;
    double loss, cross_entropy, gradient_norm, learning_rate, tokens_per_second;
  };
  struct Evaluation {
    std::int64_t step;
    double loss;         ///< nats per token
    double bleu, exact;  ///< NaN if not measured
    double score;        ///< value of --metric on the dev pairs
    bool best;           ///< true if the best so far; of equal scores, the lower loss is better
    double seconds;      ///< seconds of training since the run began or was resumed
  };

  void add(const Training& entry) { training_.push_back(entry); }
  void add(const Evaluation& entry) { evaluations_.push_back(entry); }
  const std::vector<Training>& training() const { return training_; }
  const std::vector<Evaluation>& evaluations() const { return evaluations_; }
  /// The best evaluation so far; null if there is none.
  const Evaluation* best() const;
  /// Afterwards, none of the evaluations so far is the best. For a resumed run whose --metric or dev pairs
  /// have changed, or in which --int8 begins.
  void forget_best();

  /// The lines of log.jsonl, in the order of the steps.
  std::string text() const;
  /// Reads the entries up to a step; none if the file does not exist. Skips damaged lines, so that a run with
  /// a damaged log can be resumed.
  /// @throws Error if the file cannot be read.
  static History read(const std::filesystem::path& path, std::int64_t up_to_step);
  /// Number of lines that read() skipped.
  std::int64_t damaged_lines() const { return damaged_lines_; }

  /// SVG of the cross-entropy on training and held-out pairs. Requires at least one entry.
  std::string curves() const;

 private:
  std::vector<Training> training_;
  std::vector<Evaluation> evaluations_;
  std::int64_t damaged_lines_ = 0;
};

}  // namespace gradus::tools
