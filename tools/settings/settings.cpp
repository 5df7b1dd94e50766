#include "settings/settings.hpp"

#include <gradus/error.hpp>
#include <gradus/models/optimisers.hpp>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>
#include <sstream>

#include "settings/choices.hpp"
#include "settings/ranges.hpp"
#include "settings/shortest.hpp"
#include "settings/toml.hpp"
#include "settings/unknown_key.hpp"

namespace gradus::tools {
namespace {

void add_files(CLI::App& app, const std::string& prefix, PairFiles& files, const std::string& what) {
  app.add_option(prefix + "pairs", files.pairs, what + ": source TAB target lines")->type_name("FILE");
  app.add_option(prefix + "source", files.source, what + ": sources, one per line")->type_name("FILE");
  app.add_option(prefix + "target", files.target, what + ": their targets, one per line")->type_name("FILE");
}

// Adds an option whose default is written with the shortest digits that round-trip.
CLI::Option* add_number(CLI::App& app, const std::string& flag, double& value, const std::string& help) {
  return app.add_option(flag, value, help)->default_str(shortest(value));
}

std::vector<std::string> optimiser_names() {
  std::vector<std::string> names;
  for (const models::OptimiserKind& kind : models::optimisers()) names.emplace_back(kind.name);
  return names;
}

// "adam 0.001, sgd 0.1, …"
std::string default_rates() {
  std::string text;
  for (const models::OptimiserKind& kind : models::optimisers()) {
    text.append(text.empty() ? "" : ", ").append(kind.name).append(" " + shortest(kind.learning_rate));
  }
  return text;
}

// "adamw 0.01, others 0"
std::string default_decays() {
  std::string text;
  for (const models::OptimiserKind& kind : models::optimisers()) {
    if (kind.weight_decay > 0) text.append(kind.name).append(" " + shortest(kind.weight_decay) + ", ");
  }
  return text + "others 0";
}

// Adds an option whose value is a number, or "own" for none.
CLI::Option* add_or_own(CLI::App& app, const std::string& flag, std::optional<double>& value,
                        const std::string& help) {
  const auto set = [&value](const std::string& text) {
    double number = 0;
    value = read_number(text, number) == std::errc() ? std::optional(number) : std::nullopt;
  };
  return app.add_option_function<std::string>(flag, set, help)
      ->type_name("N")
      ->default_str(value ? shortest(*value) : "own");
}

// A validator that also accepts "own".
CLI::Validator or_own(const CLI::Validator& number) {
  return {[number](std::string& text) { return text == "own" ? std::string() : number(text); }, ""};
}

// Adds a flag with its default, which CLI11 omits.
CLI::Option* add_switch(CLI::App& app, const std::string& flags, bool& value, const std::string& help) {
  return app.add_flag(flags, value, help)->default_str(value ? "true" : "false");
}

}  // namespace

Settings default_settings() {
  Settings settings;
  settings.model.embedding = 128;
  settings.model.hidden = 128;
  settings.model.energy = 128;
  settings.trainer.steps = 5000;
  settings.trainer.eval_every = 500;
  return settings;
}

Settings preset_settings(const std::string& name) {
  Settings settings = default_settings();
  const std::vector<std::string> names = models::preset_names();
  if (std::ranges::find(names, name) == names.end()) return settings;
  settings.model = models::preset(name);
  settings.trainer.learning_rate = settings.run.learning_rate;
  settings.trainer = models::preset_training(name, settings.trainer);
  settings.run.learning_rate = settings.trainer.learning_rate;
  return settings;
}

void add_data_options(CLI::App& app, DataSettings& data) {
  app.option_defaults()->always_capture_default()->group("Training data");
  app.add_option("--task", data.task, "a task with generated examples")
      ->check(CLI::IsMember({"", "reverse", "copy", "sort", "dates"}));
  app.add_option("--phrases", data.phrases, "a phrase set shipped with gradus")
      ->check(CLI::IsMember({"", "eng-fra", "eng-cmn"}));
  add_files(app, "--", data.train, "training text");
  add_files(app, "--dev-", data.dev, "dev text [a fraction of the training text]");
  add_files(app, "--test-", data.test, "test text [a fraction of the training text]");
  app.add_option("--dev-percent", data.dev_percent, "percentage held out for dev, by a hash of the source")
      ->transform(between(0, 90));
  app.add_option("--test-percent", data.test_percent, "percentage held out for test, likewise")
      ->transform(between(0, 90));
  add_switch(app, "--swap", data.swap, "translate from the second language to the first");
  app.add_option("--limit", data.limit, "maximum number of text pairs, selected by a hash [0: all]")
      ->transform(from_0);

  app.option_defaults()->group("Tasks");
  app.add_option("--symbols", data.task_options.symbols, "number of symbols")->transform(between(2, 1000000));
  app.add_option("--min-length", data.task_options.min_length, "shortest source")
      ->transform(between(1, 1000000));
  app.add_option("--max-length", data.task_options.max_length, "longest source")
      ->transform(between(1, 1000000));
  app.add_option("--test-max-length", data.test_max_length, "longest held-out source [0: as in training]")
      ->transform(from_0);
  app.add_option("--examples", data.examples, "training examples")->transform(between(1, 1000000));
  app.add_option("--held-out", data.held_out, "examples in dev, and in test")->transform(between(1, 1000000));
  app.add_option("--min-year", data.task_options.min_year, "earliest year of a date")
      ->transform(between(1000, 9999));
  app.add_option("--max-year", data.task_options.max_year, "latest year of a date")
      ->transform(between(1000, 9999));

  app.option_defaults()->group("Tokens");
  add_choice(app, "--source-unit", data.source_unit, unit_names, "unit of a source token");
  add_choice(app, "--target-unit", data.target_unit, unit_names, "unit of a target token");
  add_switch(app, "--lower,!--no-lower", data.lower, "lower-case the text");
  add_switch(app, "--nfkc,!--no-nfkc", data.nfkc, "normalise Unicode to NFKC");
  add_switch(app, "--french-spacing", data.french_spacing, "write « oui ! », not «oui!»");
  app.add_option("--bpe", data.bpe, "number of byte-pair merges [0: keep whole words]")->transform(from_0);
  add_switch(app, "--shared-vocabulary", data.shared_vocabulary, "one vocabulary for both languages");
  app.add_option("--min-count", data.min_count, "minimum count of a vocabulary token")->transform(from_1);
  app.add_option("--words", data.words, "number of most frequent tokens in a vocabulary [0: all]")
      ->transform(from_0);
  app.add_option("--min-tokens", data.min_tokens, "drop text pairs with a shorter source")->transform(from_1);
  app.add_option("--max-tokens", data.max_tokens, "drop text pairs with a longer source")->transform(from_1);
  app.add_option("--max-target-tokens", data.max_target_tokens, "drop text pairs with a longer target")
      ->transform(from_1);
}

void add_model_options(CLI::App& app, models::ModelOptions& model) {
  app.option_defaults()->always_capture_default()->group("Model");
  app.add_option("--decoder", model.decoder, "decoder: with attention (bahdanau) or without (fixed, cho)");
  app.add_option("--attention", model.attention, "attention score function");
  add_choice(app, "--cell", model.cell, cell_names, "recurrent cell of encoder and decoder");
  app.add_option("--embedding", model.embedding, "embedding size, E")->transform(from_1);
  app.add_option("--hidden", model.hidden, "state size, H")->transform(from_1);
  app.add_option("--energy", model.energy, "hidden size of additive attention, A")->transform(from_1);
  app.add_option("--layers", model.layers, "layers of encoder and decoder")->transform(from_1);
  add_switch(app, "--bidirectional,!--no-bidirectional", model.bidirectional,
             "the encoder reads in both directions");
  add_choice(app, "--bridge", model.bridge, bridge_names,
             "initial decoder state: from the encoder's backward state, from a summary of the source, a copy "
             "of its last state, or zeros; own: the decoder's default");
  add_choice(app, "--readout", model.readout, readout_names,
             "output layer: over the state; over state, context and last token, linear or with a maxout; "
             "maxout-earlier: with the previous state; own: the decoder's default");
  app.add_option("--maxout", model.maxout, "size of the maxout readout")->transform(from_1);
  add_number(app, "--dropout", model.dropout, "dropout of inputs and outputs")->transform(fraction_below_1);
  add_number(app, "--attention-dropout", model.attention_dropout, "dropout of attention weights")
      ->transform(fraction_below_1);
  add_choice(app, "--tied", model.tied, tied_names,
             "weights shared: target embedding and output layer (output), the source embedding too (all)");
  add_choice(app, "--initial", model.initial, initial_names,
             "initial parameters: as PyTorch's layers, as Bahdanau et al., Xavier, or all near 0");
}

void allow_only(CLI::App& app, const models::Registry& registry) {
  const auto allow = [&](const char* option, const auto& makers) {
    std::vector<std::string> names;
    for (const auto& [name, make] : makers) names.push_back(name);
    app.get_option(option)->check(CLI::IsMember(names));
  };
  allow("--decoder", registry.decoders);
  allow("--attention", registry.attentions);
}

void add_trainer_options(CLI::App& app, Settings& settings) {
  models::TrainerOptions& trainer = settings.trainer;
  app.option_defaults()->always_capture_default()->group("Training");
  app.add_option("--steps", trainer.steps, "number of updates")->transform(from_1);
  app.add_option("--epochs", settings.run.epochs,
                 "number of passes over the training pairs; replaces --steps [0: train for --steps]")
      ->transform(between(0, 1000000));
  app.add_option("--batch", settings.batches.sentences, "pairs per batch")->transform(between(1, 1000000));
  app.add_option("--batch-tokens", settings.batches.tokens,
                 "maximum tokens per batch, both sides with padding; replaces --batch [0: no limit]")
      ->transform(from_0);
  app.add_option("--optimiser", trainer.optimiser, "update rule")->check(CLI::IsMember(optimiser_names()));
  add_number(app, "--learning-rate", settings.run.learning_rate, "learning rate [0: " + default_rates() + "]")
      ->transform(finite_from_0);
  add_or_own(app, "--weight-decay", trainer.weight_decay,
             "weight decay of the update rule; own: " + default_decays())
      ->transform(or_own(finite_from_0));
  app.add_option("--schedule", trainer.schedule, "learning-rate schedule")
      ->check(CLI::IsMember(models::schedule_names()));
  add_number(app, "--final-factor", trainer.final_factor, "final/initial learning-rate ratio")
      ->transform(finite_from_0);
  app.add_option("--warm-up", trainer.warm_up, "learning-rate warm-up steps")->transform(from_0);
  app.add_option("--accumulate", trainer.accumulate,
                 "batches per update, whose gradients are averaged over all tokens")
      ->transform(between(1, 1000000));
  add_number(app, "--clip", trainer.clip_norm, "maximum gradient norm; larger gradients are scaled down")
      ->transform(above_0);
  add_precision(
      app, trainer.precision,
      "precision of matrix-product inputs; all else is f32. bf16 is faster on processors that support it");
  add_number(app, "--label-smoothing", trainer.loss.label_smoothing,
             "probability spread uniformly over all tokens")
      ->transform(fraction);
  add_number(app, "--entropy", trainer.loss.attention_entropy,
             "weight of the attention entropy in the loss; positive values sharpen attention")
      ->transform(finite);
  add_number(app, "--sampling", trainer.loss.sampling,
             "scheduled sampling: fraction of the model's own tokens fed back at the end of training")
      ->transform(fraction);
  app.add_option("--eval-every", trainer.eval_every, "steps between evaluations [0: none]")
      ->transform(from_0);
  app.add_option("--metric", settings.run.metric, "dev metric that selects the best checkpoint")
      ->check(CLI::IsMember({"loss", "bleu", "exact"}));
  app.add_option("--patience", trainer.patience,
                 "stop after this many evaluations without a new best [0: never]")
      ->transform(from_0);

  app.option_defaults()->group("Run");
  app.add_option("--out", settings.run.out, "folder of the run")->type_name("FOLDER");
  app.add_option("--save-every", settings.run.save_every, "steps between checkpoints")->transform(from_1);
  app.add_option("--average", settings.run.average,
                 "also write average.safetensors: the mean of the weights of the newest N checkpoints, one "
                 "every --save-every steps and one at the end, which are kept as step-STEP.safetensors [0: "
                 "none]")
      ->transform(between(0, 1000));
  app.add_option("--seed", settings.run.seed,
                 "seed of generated examples, initial values, dropout and the order of pairs")
      ->transform(any_seed);
  app.add_option("--threads", settings.run.threads, "number of threads [0: one per core]")
      ->transform(between(0, 256));
}

void add_options(CLI::App& app, Settings& settings) {
  add_data_options(app, settings.data);
  add_model_options(app, settings.model);
  add_trainer_options(app, settings);
}

namespace {

std::string written(Settings settings) {
  CLI::App app;
  add_options(app, settings);
  return app.config_to_str(true);
}

}  // namespace

// Refuses a path with a backslash if CLI11 writes it unescaped (before 2.4): a different path would be read
// back.
std::string to_text(const Settings& settings) {
  std::string text = written(settings);
  if (written(settings_from_text(text)) != text) {
    throw Error("settings: a path with a backslash cannot be saved; rename the file or folder");
  }
  return text;
}

Settings settings_from_text(const std::string& text) {
  Settings settings = default_settings();
  CLI::App app;
  add_options(app, settings);
  app.config_formatter(std::make_shared<Toml>());
  app.allow_config_extras(CLI::config_extras_mode::error);
  std::istringstream in(text);
  try {
    app.parse_from_stream(in);
  } catch (const CLI::Error& error) {
    const std::string key = unknown_key(error);
    throw Error("settings: " + (key.empty() ? error.what() : "unknown option '" + key + "'"));
  }
  return settings;
}

}  // namespace gradus::tools
