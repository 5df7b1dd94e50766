#include "files/initial_weights.hpp"

#include <gradus/autograd/scope.hpp>
#include <gradus/message.hpp>
#include <gradus/models/model.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

#include "files/saved_ensemble.hpp"
#include "files/saved_model.hpp"
#include "files/zeros.hpp"
#include "settings/changed_options.hpp"
#include "settings/error_parts.hpp"
#include "settings/numbers.hpp"

namespace gradus::tools {

namespace {

// A note if the run does not keep the zeros of a pruned model.
std::string note_of(const Settings& settings, const SavedModel& saved) {
  if (!is_pruned(saved) || settings.prune.sparsity > 0) return "";
  const Zeros zeros = zeros_of(*saved.model);
  if (zeros.fraction == 0) return "";
  return message(digits(100 * zeros.fraction, 1), " % of the weights in the matrices of '",
                 saved.path.string(), "' are 0, and this run trains them too; to keep them 0, give --prune ",
                 std::round(zeros.fraction * 1000) / 1000, " --prune-until 1",
                 zeros.per_matrix ? " --per-matrix" : "", settings.int8 ? ", and omit --int8" : "");
}

// The model options of this run that its initial weights do not fit. Tries each changed option on its own.
std::vector<ChangedOption> misfits(const Settings& settings, const SavedModel& saved,
                                   const models::Registry& registry) {
  std::vector<ChangedOption> found;
  for (const ChangedOption& option : changed_options(saved.settings.model, settings.model)) {
    try {
      const models::ModelOptions changed = with_option(saved.settings.model, option.now);
      models::make_model(changed, vocabularies_of(saved.sides), registry)
          ->load_state_dict(saved.model->state_dict());
    } catch (const Error&) {
      found.push_back(option);
    }
  }
  return found;
}

// The advice for weights of `--init-from` that do not fit this run's model.
std::string advice(const Settings& settings, const Sides& sides, const SavedModel& saved,
                   const models::Registry& registry) {
  const std::int64_t theirs = vocabularies_of(saved.sides).vectors, ours = vocabularies_of(sides).vectors;
  if (theirs != ours) {
    return message("the model reads frames of ", theirs, " bands, and this run has ", ours, "; give --bands ",
                   theirs, ", or recordings with as many bands");
  }
  std::string before, now;
  const std::vector<ChangedOption> options = misfits(settings, saved, registry);
  for (const ChangedOption& option : options) {
    before += (before.empty() ? "" : ", ") + option.before;
    now += (now.empty() ? "" : ", ") + option.now;
  }
  if (options.empty()) return "omit the options that differ from this model's";
  return message("the model has ", before, ", and this run ", now, "; omit ",
                 options.size() == 1 ? "this option" : "these options",
                 settings.model.hidden < saved.settings.model.hidden
                     ? " (gradus compress --hidden makes a smaller model)"
                     : "");
}

}  // namespace

std::string load_initial_weights(const Settings& settings, const Sides& sides, models::Seq2Seq& model,
                                 const models::Registry& registry) {
  if (settings.run.init_from.empty()) return "";
  const SavedModel saved = load_saved_model(settings.run.init_from, registry);
  check_not_compressed("init-from", saved.path, saved.checkpoint.metadata);
  check_same_tokens("init-from", saved, sides);
  try {
    model.load_state_dict(saved.model->state_dict(), "'" + saved.path.string() + "'");
  } catch (const Error& error) {
    const ErrorParts parts(error);
    fail(parts.operation, parts.problem, "; ", advice(settings, sides, saved, registry));
  }
  return note_of(settings, saved);
}

}  // namespace gradus::tools
