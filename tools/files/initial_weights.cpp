#include "files/initial_weights.hpp"

#include <gradus/error.hpp>
#include <gradus/message.hpp>

#include <cmath>
#include <string_view>

#include "files/saved_ensemble.hpp"
#include "files/saved_model.hpp"
#include "files/zeros.hpp"
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
                 zeros.per_matrix ? " --per-matrix" : "");
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
  } catch (const Error& error) {  // "load_state_dict: … does not fit …; give the state of a module …"
    const std::string_view text = error.what();
    throw Error(std::string(text.substr(0, text.rfind("; "))) +
                "; omit --hidden and other options that differ from this model's (gradus compress --hidden "
                "makes a smaller model)");
  }
  return note_of(settings, saved);
}

}  // namespace gradus::tools
