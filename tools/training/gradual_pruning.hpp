#pragma once

#include <gradus/compress/pruning.hpp>
#include <gradus/models/seq2seq.hpp>

#include <cstdint>
#include <memory>

#include "settings/settings.hpp"

namespace gradus::tools {

/// The pruning of a training run (`--prune`). The schedule raises the sparsity at most 50 times.
class RunPruning {
 public:
  /// @param steps the number of updates of the whole run
  RunPruning(models::Seq2Seq& model, const PruneSettings& settings, std::int64_t steps);

  /// Call this when training resumes after `step`: prunes the loaded weights to the sparsity of that step.
  void resume(std::int64_t step) { pruning_.prune(schedule_.at(step)); }
  /// Call this after each update.
  void after_update(std::int64_t step);
  /// True if the sparsity has reached its final value after this step.
  bool is_done(std::int64_t step) const { return step >= schedule_.until; }

 private:
  compress::Pruning pruning_;
  compress::GradualPruning schedule_;
};

/// Null without `--prune`.
std::shared_ptr<RunPruning> make_pruning(models::Seq2Seq& model, const Settings& settings);

}  // namespace gradus::tools
