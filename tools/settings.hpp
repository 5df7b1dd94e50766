#pragma once

#include <gradus/data/batches.hpp>
#include <gradus/data/tasks.hpp>
#include <gradus/data/tokeniser.hpp>
#include <gradus/models/model.hpp>
#include <gradus/models/trainer.hpp>

#include <cstdint>
#include <filesystem>
#include <string>

namespace CLI {
class App;  // its header takes the compiler seconds
}

namespace gradus::tools {

/// Where sentence pairs come from, in files or made.
struct PairFiles {
  std::filesystem::path pairs;           ///< source TAB target, one a line; or
  std::filesystem::path source, target;  ///< line by line

  bool given() const { return !pairs.empty() || !source.empty() || !target.empty(); }
};

/// What is learned: a task or a text, how it is split into parts, and how into tokens.
struct DataSettings {
  std::string task;     ///< reverse, copy, sort or dates; or
  std::string phrases;  ///< eng-fra or eng-cmn, the sets that gradus brings; or
  PairFiles train;
  PairFiles dev, test;  ///< of their own; otherwise shares of the training pairs, by a hash of the source
  std::int64_t dev_percent = 5, test_percent = 5;
  bool swap = false;       ///< the target is the source
  std::int64_t limit = 0;  ///< pairs of text, all parts together, drawn by a hash; 0 for all

  data::TaskOptions task_options;
  std::int64_t examples = 50000;     ///< of a task, to train on
  std::int64_t held_out = 1000;      ///< of a task, in dev and in test
  std::int64_t test_max_length = 0;  ///< of held-out sources; 0 for that of training

  data::TokenUnit source_unit = data::TokenUnit::word, target_unit = data::TokenUnit::word;
  bool lower = true, nfkc = true;
  bool french_spacing = false;            ///< of what is written
  std::int64_t bpe = 0;                   ///< merges of byte-pair encoding, on each side; 0 for none
  bool shared_vocabulary = false;         ///< one vocabulary, and one byte-pair encoding, for both sides
  std::int64_t min_count = 1, words = 0;  ///< of the vocabularies; 0 words for no limit
  std::int64_t min_tokens = 1, max_tokens = 50;  ///< of a source of text, before byte-pair encoding
  std::int64_t max_target_tokens = 75;           ///< of its target
};

/// How a run trains.
struct RunSettings {
  std::filesystem::path out = "out/run";
  std::uint64_t seed = 1;
  std::int64_t threads = 0;        ///< 0 for as many as there are cores
  double learning_rate = 0;        ///< 0 for the optimiser's own
  std::string metric = "loss";     ///< by which the best is kept: loss, bleu or exact
  std::int64_t save_every = 1000;  ///< steps
};

/// All that a run is made of. The options' names and help are in one place, add_options, for the command
/// line, configuration files and checkpoints.
struct Settings {
  DataSettings data;
  models::ModelOptions model;
  models::TrainerOptions trainer;
  data::BatchesOptions batches;
  RunSettings run;
};

/// The settings that `gradus train` begins with.
Settings default_settings();
/// The same with the model and the training of a preset; of a name that is none, the same alone.
Settings preset_settings(const std::string& name);

/// Makes each setting an option of the app, with its present value as the default.
void add_options(CLI::App& app, Settings& settings);
void add_data_options(CLI::App& app, DataSettings& data);
void add_model_options(CLI::App& app, models::ModelOptions& model);
/// The names of decoders and attentions are then those of the registry alone.
void allow_only(CLI::App& app, const models::Registry& registry);
void add_trainer_options(CLI::App& app, Settings& settings);

/// Settings as TOML, which `gradus train --config` reads, and back.
/// @throws Error naming what is not known there, and for a path that cannot be written so that it is read
/// again.
std::string to_text(const Settings& settings);
Settings settings_from_text(const std::string& text);

}  // namespace gradus::tools
