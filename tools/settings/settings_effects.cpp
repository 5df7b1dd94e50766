#include "settings/settings_effects.hpp"

#include <gradus/message.hpp>
#include <gradus/models/registry.hpp>

#include <array>
#include <iterator>
#include <string>

#include "settings/choices.hpp"

namespace gradus::tools {
namespace {

using models::ModelOptions;
using models::ReadoutForm;

// False if --energy is known to have no effect: the registry states the attention's number of weights, and
// this number does not depend on the energy size.
bool may_read_energy(const ModelOptions& model, const models::Registry& registry) {
  const auto found = registry.attentions.find(model.attention);
  if (found == registry.attentions.end() || !found->second.weights) return true;
  const auto weights = [&](std::int64_t energy) {
    return found->second.weights({.query = 2, .value = 3, .energy = energy, .dropout = 0});
  };
  return weights(1) != weights(2);
}

// False if --maxout is known to have no effect: there is no maxout, or tied embeddings determine its size.
bool may_read_maxout(const ModelOptions& model, const models::Registry& registry) {
  if (model.tied != models::Tied::none) return false;
  if (!model.readout) return !registry.context_of(model.decoder);
  return model.readout == ReadoutForm::maxout || model.readout == ReadoutForm::maxout_earlier;
}

Effects data_effects(const DataSettings& data) {
  const bool is_task = !data.task.empty(), is_dates = data.task == "dates", is_text = !is_task,
             has_symbols = is_task && !is_dates;
  constexpr const char *symbols = "without --task reverse, copy or sort", *dates = "without --task dates",
                       *task = "without --task", *text = "with --task, whose examples are generated",
                       *frames = "with --frames, whose sources have frames instead of tokens",
                       *numbers = "with --task reverse, copy or sort, whose tokens are numbers";
  const bool source = data.source_pieces.empty(), target = data.target_pieces.empty();
  constexpr const char *of_source = "with --source-sentencepiece", *of_target = "with --target-sentencepiece",
                       *of_both = "with SentencePiece models for both languages";
  const bool splits = source || target;
  return {
      {"--symbols", has_symbols, symbols},
      {"--min-length", has_symbols, symbols},
      {"--max-length", has_symbols, symbols},
      {"--test-max-length", has_symbols, symbols},
      {"--min-year", is_dates, dates},
      {"--max-year", is_dates, dates},
      {"--bands", data.frames, "without --frames"},
      {"--min-speed", data.frames, "without --frames"},
      {"--max-speed", data.frames, "without --frames"},
      {"--examples", is_task, task},
      {"--held-out", is_task, task},
      {"--swap", is_text, text},
      {"--limit", is_text, text},
      {"--min-tokens", is_text, text},
      {"--max-tokens", is_text, text},
      {"--min-tokens", !data.frames, frames},
      {"--max-tokens", !data.frames, frames},
      {"--max-target-tokens", is_text, text},
      {"--dev-pairs", is_text, text},
      {"--dev-source", is_text, text},
      {"--dev-target", is_text, text},
      {"--test-pairs", is_text, text},
      {"--test-source", is_text, text},
      {"--test-target", is_text, text},
      {"--lower", !has_symbols, numbers},
      {"--nfkc", !has_symbols, numbers},
      {"--french-spacing", is_text, text},
      {"--bpe", !has_symbols || data.task_options.symbols > 10, "with --symbols 10 or fewer, each one digit"},
      {"--dev-percent", !data.dev.given(), "with a separate dev text"},
      {"--test-percent", !data.test.given(), "with a separate test text"},
      {"--source-unit", source, of_source},
      {"--target-unit", target, of_target},
      {"--french-spacing", target, of_target},
      {"--french-spacing", data.target_unit != data::TokenUnit::character, "with --target-unit character"},
      {"--lower", splits, of_both},
      {"--nfkc", splits, of_both},
  };
}

Effects training_effects(const Settings& settings, bool resumes) {
  const models::TrainerOptions& trainer = settings.trainer;
  const DataSettings& data = settings.data;
  const bool has_dev = !data.task.empty() || data.dev.given() || data.dev_percent > 0;
  const bool evaluates = has_dev && trainer.eval_every > 0;
  const std::string no_dev = "without dev pairs, see --dev-percent",
                    no_evaluations = has_dev ? "without evaluations, see --eval-every" : no_dev;
  const bool is_plateau = trainer.schedule == "plateau";
  constexpr const char *plateau = "without --schedule plateau", *resumed = "with --resume";
  const RunSettings& run = settings.run;
  return {
      {"--init-from", !resumes, resumed},
      {"--overwrite", !resumes, resumed},
      {"--initial", resumes || run.init_from.empty(), "with --init-from"},
      {"--batch", settings.batches.tokens == 0, "with --batch-tokens"},
      {"--final-factor", trainer.schedule != "constant", "with --schedule constant"},
      {"--plateau-factor", is_plateau, plateau},
      {"--plateau-patience", is_plateau, plateau},
      {"--eval-every", has_dev || trainer.eval_every == 0, no_dev},
      {"--patience", evaluates || trainer.patience == 0, no_evaluations},
      {"--metric", evaluates || (has_dev && run.average > 0), no_evaluations},
      {"--average", run.average == 0 || run.epochs > 0 || trainer.steps > run.save_every,
       "with one checkpoint, see --save-every"},
      {"--bf16-gradients", trainer.shards > 1, "without --shards, whose gradients are added up"},
      {"--freeze-embeddings", !run.source_embeddings.empty() || !run.target_embeddings.empty(),
       "without --source-embeddings or --target-embeddings"},
  };
}

Effects small_model_effects(const Settings& settings) {
  const bool prunes = settings.prune.sparsity > 0;
  const TeacherSettings& teacher = settings.teacher;
  const bool is_taught = !teacher.model.empty();
  constexpr const char *pruned = "without --prune", *taught = "without --teacher";
  return {
      {"--prune-from", prunes, pruned},
      {"--prune-until", prunes, pruned},
      {"--per-matrix", prunes, pruned},
      {"--teacher-weight", is_taught, taught},
      {"--teacher-temperature", is_taught, taught},
      {"--teacher-attention", is_taught, taught},
      {"--teacher-beam", is_taught, taught},
      {"--teacher", teacher.weight > 0 || teacher.attention > 0 || teacher.beam > 0,
       "with --teacher-weight 0 and without --teacher-attention and --teacher-beam"},
      {"--teacher-temperature", teacher.weight > 0, "with --teacher-weight 0"},
      {"--label-smoothing", !is_taught || teacher.weight < 1, "with --teacher-weight 1"},
  };
}

}  // namespace

bool may_attend(const ModelOptions& model, const models::Registry& registry) {
  using models::SourceContext;
  return registry.context_of(model.decoder).value_or(SourceContext::attention) == SourceContext::attention;
}

Effects model_effects(const ModelOptions& model, const models::Registry& registry) {
  const bool attends = may_attend(model, registry);
  const std::string without = "with --decoder " + model.decoder + ", which has no attention",
                    with = attends ? "with --attention " + model.attention : without;
  const auto only = [&](const char* kind) {
    return attends ? std::string("without --attention ") + kind : without;
  };
  const std::string& attention = model.attention;
  return {
      {"--attention", attends, without},
      {"--convolution", attends, without},
      {"--silence", attends, without},
      {"--attention-dropout", attends, without},
      {"--energy", attends && may_read_energy(model, registry), with},
      {"--attention-top-k", attends && attention == "top_k", only("top_k")},
      {"--attention-window", attends && attention == "local_p", only("local_p")},
      {"--attention-temperature", attends && attention == "gumbel", only("gumbel")},
      {"--location-filters", attends && attention == "location", only("location")},
      {"--location-width", attends && attention == "location", only("location")},
      {"--location-smooth", attends && attention == "location", only("location")},
      {"--location-window", attends && attention == "location", only("location")},
      {"--maxout", may_read_maxout(model, registry),
       model.tied == models::Tied::none
           ? std::string("without --readout maxout or maxout-earlier")
           : message("with --tied ", name_of(model.tied, tied_names), ", where the embedding has its size")},
  };
}

Effects settings_effects(const Settings& settings, const models::Registry& registry, bool resumes) {
  Effects all = data_effects(settings.data);
  for (Effects& more : std::array{model_effects(settings.model, registry),
                                  training_effects(settings, resumes), small_model_effects(settings)}) {
    all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  }
  return all;
}

}  // namespace gradus::tools
