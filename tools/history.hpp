#pragma once

#include <gradus/models/trainer.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace gradus::tools {

/// The course of a run, as `log.jsonl` has it: one JSON object a line. Of training steps,
///
///     {"step": 100, "loss": …, "cross_entropy": …, "gradient_norm": …, "learning_rate": …,
///     "tokens_per_second": …}
///
/// with means over the steps since the line before (the rate is the last one); of evaluations,
///
///     {"step": 500, "dev_loss": …, "dev_perplexity": …, "score": …, "best": true, "seconds": …}
///
/// and dev_bleu and dev_exact where they were measured.
class History {
 public:
  struct Training {
    std::int64_t step;
    double loss, cross_entropy, gradient_norm, learning_rate, tokens_per_second;
  };
  struct Evaluation {
    std::int64_t step;
    double loss;         ///< nats a token
    double bleu, exact;  ///< NaN where they were not measured
    double score;        ///< by the metric that was asked for
    bool best;           ///< so far
    double seconds;      ///< of training, since the run or its resumption began
  };

  void add(const Training& entry) { training_.push_back(entry); }
  void add(const Evaluation& entry) { evaluations_.push_back(entry); }
  const std::vector<Training>& training() const { return training_; }
  const std::vector<Evaluation>& evaluations() const { return evaluations_; }
  /// The evaluation that no later one was better than; null before there is one.
  const Evaluation* best() const;

  std::string text() const;
  /// The entries of a log up to a step; of a file that is not there, none.
  /// @throws Error naming the line that is none of these objects.
  static History read(const std::filesystem::path& path, std::int64_t up_to_step);

  /// Losses of training and held-out text as curves, SVG. There must be an entry.
  std::string curves() const;

 private:
  std::vector<Training> training_;
  std::vector<Evaluation> evaluations_;
};

}  // namespace gradus::tools
