#include "settings.hpp"

#include <gradus/error.hpp>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>

#include "choices.hpp"
#include "ranges.hpp"

namespace gradus::tools {
namespace {

void add_files(CLI::App& app, const std::string& prefix, PairFiles& files, const std::string& what) {
  app.add_option(prefix + "pairs", files.pairs, what + ": source TAB target lines")->type_name("FILE");
  app.add_option(prefix + "source", files.source, what + ": sources, line by line")->type_name("FILE");
  app.add_option(prefix + "target", files.target, what + ": their targets")->type_name("FILE");
}

// An option whose default is written in as many digits as it takes to read it back.
CLI::Option* add_number(CLI::App& app, const std::string& flag, double& value, const std::string& help) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return app.add_option(flag, value, help)->default_str(std::string(digits.data(), end));
}

// A flag, whose default CLI11 would not write.
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
  app.option_defaults()->always_capture_default()->group("What is learned");
  app.add_option("--task", data.task, "a task whose examples are made")
      ->check(CLI::IsMember({"", "reverse", "copy", "sort", "dates"}));
  app.add_option("--phrases", data.phrases, "a set of phrases that gradus brings")
      ->check(CLI::IsMember({"", "eng-fra", "eng-cmn"}));
  add_files(app, "--", data.train, "text to train on");
  add_files(app, "--dev-", data.dev, "text to watch training by [a share of the training text]");
  add_files(app, "--test-", data.test, "text to evaluate on [a share of the training text]");
  app.add_option("--dev-percent", data.dev_percent, "share held out, by a hash of the source")
      ->check(between(0, 90));
  app.add_option("--test-percent", data.test_percent, "likewise")->check(between(0, 90));
  add_switch(app, "--swap", data.swap, "from the second language to the first");
  app.add_option("--limit", data.limit, "pairs of text in all, drawn by a hash [0: all]")->check(from_0);

  app.option_defaults()->group("Tasks");
  app.add_option("--symbols", data.task_options.symbols, "how many there are")->check(between(2, 1000000));
  app.add_option("--min-length", data.task_options.min_length, "of a source")->check(between(1, 1000000));
  app.add_option("--max-length", data.task_options.max_length, "of a source")->check(between(1, 1000000));
  app.add_option("--test-max-length", data.test_max_length, "of held-out sources [0: as in training]")
      ->check(from_0);
  app.add_option("--examples", data.examples, "to train on")->check(between(1, 1000000));
  app.add_option("--held-out", data.held_out, "examples in dev and in test")->check(between(1, 1000000));
  app.add_option("--min-year", data.task_options.min_year, "of a date")->check(between(1000, 9999));
  app.add_option("--max-year", data.task_options.max_year, "of a date")->check(between(1000, 9999));

  app.option_defaults()->group("Tokens");
  add_choice(app, "--source-unit", data.source_unit, unit_names, "what a token of the source is");
  add_choice(app, "--target-unit", data.target_unit, unit_names, "what a token of the target is");
  add_switch(app, "--lower,!--no-lower", data.lower, "lower case");
  add_switch(app, "--nfkc,!--no-nfkc", data.nfkc, "one way to write what reads the same (Unicode's NFKC)");
  add_switch(app, "--french-spacing", data.french_spacing, "write « oui ! », not «oui!»");
  app.add_option("--bpe", data.bpe, "merges of byte-pair encoding [0: words stay whole]")->check(from_0);
  add_switch(app, "--shared-vocabulary", data.shared_vocabulary, "one vocabulary for both languages");
  app.add_option("--min-count", data.min_count, "how often a token must occur")->check(from_1);
  app.add_option("--words", data.words, "the most tokens of a vocabulary [0: no limit]")->check(from_0);
  app.add_option("--min-tokens", data.min_tokens, "pairs of text with shorter sources are left out")
      ->check(from_1);
  app.add_option("--max-tokens", data.max_tokens, "and those with longer ones")->check(from_1);
  app.add_option("--max-target-tokens", data.max_target_tokens, "and those with longer targets")
      ->check(from_1);
}

void add_model_options(CLI::App& app, models::ModelOptions& model) {
  app.option_defaults()->always_capture_default()->group("The model");
  app.add_option("--decoder", model.decoder, "how the target is written: with attention, or without");
  app.add_option("--attention", model.attention, "how it is scored where the decoder looks");
  add_choice(app, "--cell", model.cell, cell_names, "what encoder and decoder are built of");
  app.add_option("--embedding", model.embedding, "size of an embedding, E")->check(from_1);
  app.add_option("--hidden", model.hidden, "size of the state, H")->check(from_1);
  app.add_option("--energy", model.energy, "size of additive attention's energies, A")->check(from_1);
  app.add_option("--layers", model.layers, "of encoder and decoder")->check(from_1);
  add_switch(app, "--bidirectional,!--no-bidirectional", model.bidirectional, "the encoder reads both ways");
  add_choice(
      app, "--bridge", model.bridge, bridge_names,
      "the decoder's first state: of the encoder's backward state, of a summary of all that it read, a "
      "copy of its last state, or zeros; own: as the decoder is written");
  add_choice(app, "--readout", model.readout, readout_names,
             "what the next token is read out of: the state alone, or with context and last token through a "
             "linear layer or a maxout; maxout-earlier: of the state before; own: as the decoder is written");
  app.add_option("--maxout", model.maxout, "size of a maxout readout")->check(from_1);
  add_number(app, "--dropout", model.dropout, "share of inputs and outputs set to 0 in training")
      ->check(share_below_1);
  add_number(app, "--attention-dropout", model.attention_dropout, "the same of attention's weights")
      ->check(share_below_1);
  add_choice(app, "--tied", model.tied, tied_names, "which embeddings are one matrix");
  add_choice(
      app, "--initial", model.initial, initial_names,
      "how parameters are drawn: as PyTorch's layers do, as Bahdanau et al. did, by Xavier's rule, or all "
      "near 0");
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
  app.add_option("--steps", trainer.steps, "updates in all")->check(from_1);
  app.add_option("--batch", settings.batches.sentences, "pairs a batch")->check(from_1);
  app.add_option("--batch-tokens", settings.batches.tokens,
                 "the most tokens a batch, both sides with padding; then --batch is not used [0: no limit]")
      ->check(from_0);
  app.add_option("--optimiser", trainer.optimiser, "the rule of the updates")
      ->check(CLI::IsMember({"adam", "adamw", "sgd", "adadelta", "rmsprop", "adagrad"}));
  add_number(app, "--learning-rate", settings.run.learning_rate,
             "[0: 0.001, but adadelta 1, sgd 0.1, adagrad 0.01]")
      ->check(finite_from_0);
  app.add_option("--schedule", trainer.schedule, "of the learning rate")
      ->check(CLI::IsMember({"constant", "linear", "cosine", "exponential"}));
  add_number(app, "--final-factor", trainer.final_factor,
             "what the learning rate is multiplied by in the end")
      ->check(finite_from_0);
  app.add_option("--warm-up", trainer.warm_up, "steps in which the learning rate first rises")->check(from_0);
  add_number(app, "--clip", trainer.clip_norm, "the largest norm of all gradients together")->check(above_0);
  add_precision(
      app, trainer.precision,
      "precision of the inputs of products; all else is f32. bf16 is faster on processors that have it");
  add_number(app, "--label-smoothing", trainer.loss.label_smoothing,
             "share of the target spread over all tokens")
      ->check(share);
  add_number(app, "--entropy", trainer.loss.attention_entropy,
             "weight of attention's entropy in the loss; above 0 it sharpens")
      ->check(finite);
  add_number(app, "--sampling", trainer.loss.sampling,
             "scheduled sampling: the share of own tokens read at the end of training")
      ->check(share);
  app.add_option("--eval-every", trainer.eval_every, "steps between evaluations [0: none]")->check(from_0);
  app.add_option("--metric", settings.run.metric, "on the dev text, by which the best is kept")
      ->check(CLI::IsMember({"loss", "bleu", "exact"}));
  app.add_option("--patience", trainer.patience,
                 "evaluations without a new best before it stops [0: for ever]")
      ->check(from_0);

  app.option_defaults()->group("The run");
  app.add_option("--out", settings.run.out, "where the run is kept")->type_name("FOLDER");
  app.add_option("--save-every", settings.run.save_every, "steps between checkpoints")->check(from_1);
  app.add_option("--seed", settings.run.seed, "of initial values, dropout and the order of pairs")
      ->check(number("a number from 0", [](double value) { return value >= 0; }));
  app.add_option("--threads", settings.run.threads, "[0: as many as there are cores]")
      ->check(between(0, 256));
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

// CLI11 escapes nothing: a path that ends in a backslash would come back as another one.
std::string to_text(const Settings& settings) {
  std::string text = written(settings);
  if (written(settings_from_text(text)) != text) {
    throw Error("settings: a path with a backslash would not be read as it was written; choose another name");
  }
  return text;
}

Settings settings_from_text(const std::string& text) {
  Settings settings = default_settings();
  CLI::App app;
  add_options(app, settings);
  app.allow_config_extras(CLI::config_extras_mode::error);
  std::istringstream in(text);
  try {
    app.parse_from_stream(in);
  } catch (const CLI::Error& error) {
    throw Error(std::string("settings: ") + error.what());
  }
  return settings;
}

}  // namespace gradus::tools
