#include "files/initial_weights.hpp"

#include <gradus/message.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>

#include "files/saved_ensemble.hpp"
#include "files/saved_model.hpp"
#include "settings/numbers.hpp"

namespace gradus::tools {

namespace {

// The fraction of zeros in the model's matrices.
double zeros_of(const models::Seq2Seq& model) {
  std::set<const float*> seen;  // a tied matrix has several names
  std::ptrdiff_t zeros = 0, all = 0;
  for (const auto& [name, parameter] : model.named_parameters()) {
    if (parameter.rank() != 2 || !seen.insert(parameter.values<float>().data()).second) continue;
    zeros += std::ranges::count(parameter.values<float>(), 0.0F);
    all += parameter.numel();
  }
  return all == 0 ? 0 : static_cast<double>(zeros) / static_cast<double>(all);
}

// A note if the run trains zeros of a pruned model.
std::string note_of(const Settings& settings, const SavedModel& saved) {
  const bool is_pruned = saved.settings.prune.sparsity > 0 || saved.checkpoint.metadata.contains(pruned_key);
  if (!is_pruned || settings.prune.sparsity > 0) return "";
  const double zeros = zeros_of(*saved.model);
  if (zeros == 0) return "";
  return message(digits(100 * zeros, 1), " % of the weights in the matrices of '", saved.path.string(),
                 "' are 0, and this run trains them too; to keep them 0, give --prune ",
                 std::round(zeros * 1000) / 1000, " --prune-until 1");
}

}  // namespace

std::string load_initial_weights(const Settings& settings, const Sides& sides, models::Seq2Seq& model,
                                 const models::Registry& registry) {
  if (settings.run.init_from.empty()) return "";
  const SavedModel saved = load_saved_model(settings.run.init_from, registry);
  check_not_compressed("init-from", saved.path, saved.checkpoint.metadata);
  check_same_tokens("init-from", saved, sides);
  model.load_state_dict(saved.model->state_dict(), "'" + saved.path.string() + "'");
  return note_of(settings, saved);
}

}  // namespace gradus::tools
