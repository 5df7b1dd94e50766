#include "settings/check_settings.hpp"

#include <gradus/message.hpp>

#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "settings/choices.hpp"
#include "settings/settings_effects.hpp"
#include "settings/streams.hpp"
#include "settings/usage_error.hpp"

namespace gradus::tools {
namespace {

using models::SourceContext;
namespace fs = std::filesystem;

template <class... Parts>
[[noreturn]] void refuse(const Parts&... parts) {
  throw UsageError(message(parts...));
}

// Refuses a file of pairs together with a source or target file, and a source or target file without the
// other. `prefix` begins the names of the options: "--", "--dev-" or "--test-".
void check_whole(const std::string& prefix, const PairFiles& files) {
  const bool source = !files.source.empty(), target = !files.target.empty();
  if (!files.pairs.empty() && (source || target)) {
    refuse(prefix, "pairs and ", prefix, source ? "source" : "target",
           " are alternatives; give only one of them");
  }
  if (source != target) {
    refuse(prefix, source ? "source" : "target", " needs ", prefix, source ? "target" : "source");
  }
}

// Refuses a SentencePiece model together with byte-pair encoding. Also refuses a vocabulary that a
// SentencePiece model shares with another tokeniser, because the two have few tokens in common.
void check_sentence_piece(const DataSettings& settings) {
  const auto check = [&](const char* option, const fs::path& pieces, const char* other_option,
                         const fs::path& other) {
    if (pieces.empty()) return;
    if (settings.bpe > 0) refuse(option, " and --bpe are alternatives; give only one of them");
    if (!settings.shared_vocabulary || !other.empty()) return;
    refuse("--shared-vocabulary needs both languages split alike; add ", other_option,
           " with the same model, or omit --shared-vocabulary");
  };
  check("--source-sentencepiece", settings.source_pieces, "--target-sentencepiece", settings.target_pieces);
  check("--target-sentencepiece", settings.target_pieces, "--source-sentencepiece", settings.source_pieces);
}

// Checks that the dev and test parts leave some pairs for training.
void check_split(const DataSettings& settings) {
  const std::int64_t dev = settings.dev.given() ? 0 : settings.dev_percent,
                     test = settings.test.given() ? 0 : settings.test_percent;
  if (dev + test < 100) return;
  refuse("--dev-percent ", dev, " and --test-percent ", test,
         " leave nothing to train on; lower them to less than 100 together");
}

void check_has_pieces(const DataSettings& settings, const std::string& option, data::TokenUnit unit) {
  if (settings.bpe == 0 || unit != data::TokenUnit::character) return;
  refuse(option, " character cannot be combined with --bpe; omit one of them");
}

void check_order(const char* least_option, std::int64_t least, const char* most_option, std::int64_t most) {
  if (least <= most) return;
  refuse(least_option, ' ', least, " exceeds ", most_option, ' ', most, "; lower ", least_option,
         " or raise ", most_option);
}

// A resumed run keeps its model, and omitting the option would keep its weight.
void check_attention_term(const char* option, double weight, const models::ModelOptions& model,
                          const models::Registry& registry, bool resumes) {
  if (weight == 0) return;
  const auto advice = [&](const char* other) {
    return resumes ? message("give ", option, " 0") : message("omit ", option, ", or give ", other);
  };
  if (!may_attend(model, registry)) {
    refuse(option, " needs attention weights, which --decoder ", model.decoder, " lacks; ",
           advice("--decoder bahdanau"));
  }
  if (model.attention == "hard" || model.attention == "gumbel") {
    refuse(option, " needs weights that spread, but those of --attention ", model.attention, " are 0 or 1; ",
           advice("another --attention"));
  }
}

// With --frames, refuses training data without files, and options that need a source of text.
void check_frames(const DataSettings& settings) {
  if (!settings.frames) return;
  if (!settings.train.given()) {
    refuse("--frames needs files of sound and their targets; give --pairs, or --source with --target");
  }
  const auto alone = [](bool given, const char* option) {
    if (given) refuse(option, " needs a source of text, and --frames has sound; omit one of them");
  };
  alone(settings.swap, "--swap");
  alone(settings.shared_vocabulary, "--shared-vocabulary");
  alone(!settings.source_pieces.empty(), "--source-sentencepiece");
  alone(settings.source_unit != data::TokenUnit::word, "--source-unit");
}

}  // namespace

void check_data(const DataSettings& settings) {
  const int named = !settings.task.empty() + !settings.phrases.empty() + settings.train.given();
  if (named != 1) {
    refuse(named == 0 ? "no" : "more than one source of",
           " training data; give one of --task, --phrases, --pairs, or --source with --target");
  }
  check_has_pieces(settings, "--source-unit", settings.source_unit);
  check_has_pieces(settings, "--target-unit", settings.target_unit);
  check_sentence_piece(settings);
  check_split(settings);
  check_frames(settings);
  check_whole("--", settings.train);
  check_whole("--dev-", settings.dev);
  check_whole("--test-", settings.test);
  check_streams(inputs_of(settings));
  const data::TaskOptions& task = settings.task_options;
  check_order("--min-length", task.min_length, "--max-length", task.max_length);
  if (settings.test_max_length > 0) {
    check_order("--min-length", task.min_length, "--test-max-length", settings.test_max_length);
  }
  check_order("--min-year", task.min_year, "--max-year", task.max_year);
  check_order("--min-tokens", settings.min_tokens, "--max-tokens", settings.max_tokens);
}

void check_model(const models::ModelOptions& model, const models::Registry& registry) {
  using models::Bridge;
  if (model.bridge == Bridge::backward && !model.bidirectional) {
    refuse(
        "--bridge backward needs an encoder in both directions; omit --no-bidirectional, or give --bridge "
        "summary");
  }
  if (model.bridge == Bridge::copy && model.bidirectional) {
    refuse(
        "--bridge copy needs an encoder in one direction; add --no-bidirectional, or give --bridge summary");
  }
  if (registry.context_of(model.decoder) == SourceContext::summary &&
      (model.bridge == Bridge::backward || model.bridge == Bridge::copy)) {
    refuse("--decoder ", model.decoder,
           " starts from a summary of the source; give --bridge summary or zeros");
  }
}

void check_warm_up(const Settings& settings) {
  if (settings.trainer.warm_up < settings.trainer.steps) return;
  refuse("--warm-up ", settings.trainer.warm_up, " covers all ", settings.trainer.steps,
         " steps; lower --warm-up or raise ", settings.run.epochs > 0 ? "--epochs" : "--steps");
}

void check_pruning(const Settings& settings) {
  const PruneSettings& prune = settings.prune;
  if (prune.sparsity == 0) return;
  if (settings.int8) {
    refuse(
        "--int8 may move pruned weights away from 0; train with --prune and without --int8, and then round "
        "with gradus compress --int8");
  }
  const std::int64_t end = prune.end(settings.trainer.steps);
  if (prune.from >= end) {
    refuse("--prune-from ", prune.from, " is not before ", prune.until > 0 ? "--prune-until " : "step ", end,
           ", when pruning ends; lower --prune-from or raise --prune-until");
  }
  if (end > settings.trainer.steps) {
    refuse("--prune-until ", end, " is after the last step, ", settings.trainer.steps,
           "; lower --prune-until or raise ", settings.run.epochs > 0 ? "--epochs" : "--steps");
  }
}

void check_plateau(const models::TrainerOptions& trainer) {
  if (trainer.schedule != "plateau") return;
  if (trainer.eval_every == 0) {
    refuse("--schedule plateau needs evaluations; give --eval-every, or another --schedule");
  }
  if (trainer.final_factor >= 1) {
    refuse("--schedule plateau cannot lower the learning rate with --final-factor ", trainer.final_factor,
           "; give one below 1");
  }
  if (trainer.patience > 0 && trainer.patience <= trainer.plateau_patience + 1) {
    refuse("--patience ", trainer.patience, " ends training before --plateau-patience ",
           trainer.plateau_patience, " has lowered the learning rate once; give --patience ",
           trainer.plateau_patience + 2, " or more");
  }
}

void check_shards(std::int64_t shards) {
  if (std::has_single_bit(static_cast<std::uint64_t>(shards))) return;
  refuse("--shards ", shards, " is not a power of two; give ",
         std::bit_ceil(static_cast<std::uint64_t>(shards)));
}

void check_settings(const Settings& settings, const models::Registry& registry, bool resumes) {
  std::vector<Input> inputs = inputs_of(settings.data);
  inputs.push_back({"--source-embeddings", settings.run.source_embeddings});
  inputs.push_back({"--target-embeddings", settings.run.target_embeddings});
  check_streams(inputs);
  check_data(settings.data);
  check_model(settings.model, registry);
  if (settings.model.pyramid > 0 && !settings.data.frames) {
    refuse("--pyramid shortens a source of sound; add --frames, or omit --pyramid");
  }
  if (settings.model.silence > 0 && !settings.data.frames) {
    refuse("--silence leaves out parts of sound; add --frames, or omit --silence");
  }
  if (settings.run.epochs == 0) {  // with --epochs, the number of steps is not known yet
    check_warm_up(settings);
    check_pruning(settings);
  }
  if (settings.data.frames && !settings.run.source_embeddings.empty()) {
    refuse("--source-embeddings needs a source of text, and --frames has sound; omit one of them");
  }
  if (settings.model.tied == models::Tied::all && !settings.data.shared_vocabulary) {
    refuse("--tied all needs a shared vocabulary; add --shared-vocabulary, or give --tied output");
  }
  if (settings.model.tied == models::Tied::all && !settings.run.source_embeddings.empty() &&
      !settings.run.target_embeddings.empty()) {
    refuse(
        "--source-embeddings and --target-embeddings are alternatives with --tied all; give only one of "
        "them");
  }
  if (settings.trainer.schedule == "exponential" && settings.trainer.final_factor == 0) {
    refuse("--schedule exponential cannot end at --final-factor 0; raise --final-factor");
  }
  check_plateau(settings.trainer);
  if (settings.run.average == 1) refuse("--average 1 is the last checkpoint itself; give 2 or more, or 0");
  check_shards(settings.trainer.shards);
  if (!supports(settings.trainer.precision)) refuse("--precision ", no_bf16);
  const TeacherSettings& teacher = settings.teacher;
  if (teacher.is_in_loss() && settings.trainer.loss.sampling > 0) {
    refuse("--sampling and --teacher are alternatives: the teacher reads the true tokens; omit one of them",
           teacher.beam > 0 ? ", or give --teacher-weight 0 without --teacher-attention" : "");
  }
  const models::LossOptions& loss = settings.trainer.loss;
  for (const auto& [option, weight] : {std::pair{"--teacher-attention", teacher.attention},
                                       {"--entropy", loss.attention_entropy},
                                       {"--coverage", loss.attention_coverage}}) {
    check_attention_term(option, weight, settings.model, registry, resumes);
  }
}

}  // namespace gradus::tools
