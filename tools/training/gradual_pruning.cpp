#include "training/gradual_pruning.hpp"

namespace gradus::tools {
namespace {

compress::GradualPruning schedule_of(const PruneSettings& settings, std::int64_t steps) {
  const std::int64_t end = settings.end(steps);
  return {.sparsity = settings.sparsity,
          .from = settings.from,
          .until = end,
          .every = (end - settings.from + 49) / 50};
}

}  // namespace

RunPruning::RunPruning(models::Seq2Seq& model, const PruneSettings& settings, std::int64_t steps)
    : pruning_(model,
               settings.per_matrix ? compress::PruningScope::per_matrix : compress::PruningScope::global),
      schedule_(schedule_of(settings, steps)) {}

void RunPruning::after_update(std::int64_t step) {
  const double sparsity = schedule_.at(step);
  if (sparsity != schedule_.at(step - 1)) {
    pruning_.prune(sparsity);
  } else if (sparsity > 0) {
    pruning_.hold();
  }
}

std::shared_ptr<RunPruning> make_pruning(models::Seq2Seq& model, const Settings& settings) {
  if (settings.prune.sparsity == 0) return nullptr;
  return std::make_shared<RunPruning>(model, settings.prune, settings.trainer.steps);
}

}  // namespace gradus::tools
