#include "files/initial_weights.hpp"

#include "files/saved_ensemble.hpp"
#include "files/saved_model.hpp"

namespace gradus::tools {

void load_initial_weights(const Settings& settings, const Sides& sides, models::Seq2Seq& model,
                          const models::Registry& registry) {
  if (settings.run.init_from.empty()) return;
  const SavedModel saved = load_saved_model(settings.run.init_from, registry);
  check_not_compressed("init-from", saved.path, saved.checkpoint.metadata);
  check_same_tokens("init-from", saved, sides);
  model.load_state_dict(saved.model->state_dict(), "'" + saved.path.string() + "'");
}

}  // namespace gradus::tools
