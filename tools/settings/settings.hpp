#pragma once

#include <gradus/data/batches.hpp>
#include <gradus/data/tasks.hpp>
#include <gradus/data/tokeniser.hpp>
#include <gradus/models/model.hpp>
#include <gradus/models/trainer.hpp>
#include <gradus/speech/log_mel.hpp>
#include <gradus/speech/speed.hpp>

#include <cstdint>
#include <filesystem>
#include <string>

namespace gradus::tools {

/// Files of sentence pairs: one tab-separated file, or two parallel ones.
struct PairFiles {
  std::filesystem::path pairs;           ///< source TAB target, one pair per line
  std::filesystem::path source, target;  ///< or parallel files, one sentence per line

  bool given() const { return !pairs.empty() || !source.empty() || !target.empty(); }
};

/// The training data (a task, a text or sound), how it is split into parts, and how it is tokenised.
struct DataSettings {
  std::string task;     ///< reverse, copy, sort or dates; empty for `phrases` or `train`
  std::string phrases;  ///< eng-fra or eng-cmn, the phrase sets shipped with gradus
  PairFiles train;      ///< files of training pairs
  PairFiles dev, test;  ///< if not given: taken from the training pairs, selected by a hash of the source
  std::int64_t dev_percent = 5, test_percent = 5;
  bool swap = false;                                   ///< exchange source and target
  bool frames = false;                                 ///< the sources are paths of WAV and .npy files
  std::int64_t bands = speech::LogMelOptions{}.bands;  ///< number of bands in the features of WAV files
  speech::SpeedRange speeds;                           ///< at which training recordings are played
  std::int64_t limit = 0;  ///< maximum number of pairs of `phrases` or `train`, selected by a hash; 0: all

  data::TaskOptions task_options;
  std::int64_t examples = 50000;     ///< training examples of a task
  std::int64_t held_out = 1000;      ///< examples of a task in dev, and in test
  std::int64_t test_max_length = 0;  ///< longest held-out source; 0: as in training

  data::TokenUnit source_unit = data::TokenUnit::word, target_unit = data::TokenUnit::word;
  bool lower = true, nfkc = true;
  bool french_spacing = false;                         ///< the output has « oui ! », not «oui!»
  std::filesystem::path source_pieces, target_pieces;  ///< SentencePiece models; empty: none
  std::int64_t bpe = 0;                                ///< byte-pair merges on each side; 0: none
  bool shared_vocabulary = false;         ///< one vocabulary, and one byte-pair encoding, for both sides
  std::int64_t min_count = 1, words = 0;  ///< minimum count; number of most frequent tokens, 0: all
  std::int64_t min_tokens = 1, max_tokens = 50;  ///< tokens of a source, before byte-pair encoding
  std::int64_t max_target_tokens = 75;           ///< tokens of a target, before byte-pair encoding
};

/// The run's folder, seed, threads, learning rate, length, checkpoints and initial weights.
struct RunSettings {
  std::filesystem::path out = "out/run";
  std::uint64_t seed = 1;
  std::int64_t threads = 0;        ///< 0: one per core, at most 16; of several processes, one each
  double learning_rate = 0;        ///< 0: the optimiser's default
  std::string metric = "loss";     ///< selects the best checkpoint: loss, bleu or exact
  std::int64_t save_every = 1000;  ///< number of steps between checkpoints
  std::int64_t epochs = 0;         ///< if above 0, sets the number of steps
  std::int64_t average = 0;        ///< number of checkpoints in the mean; 0: none
  std::filesystem::path source_embeddings, target_embeddings;  ///< files of word vectors; empty: none
  bool freeze_embeddings = false;   ///< do not train the embeddings read from files
  std::filesystem::path init_from;  ///< a model whose weights are the initial ones; empty: none
};

/// Pruning during training, see compress::GradualPruning.
struct PruneSettings {
  double sparsity = 0;               ///< 0: no pruning
  std::int64_t from = 0, until = 0;  ///< prunes after step `from`, until step `until` (0: half of the run)
  bool per_matrix = false;

  std::int64_t end(std::int64_t steps) const { return until > 0 ? until : steps / 2; }
  bool operator==(const PruneSettings&) const = default;
};

/// Distillation from a teacher. For the numbers, see compress::DistillationOptions.
struct TeacherSettings {
  std::filesystem::path model;  ///< empty: none
  double weight = 0.5, temperature = 1, attention = 0;
  std::int64_t beam = 0;  ///< width of the search for the targets, see taught_pairs(); 0: the true targets

  /// True if the loss compares the student with the teacher. If false, a teacher only translates.
  bool is_in_loss() const { return !model.empty() && (weight > 0 || attention > 0); }
};

/// All settings of a run. The files *_options.cpp define their names and help, for the command line,
/// configuration files and checkpoints.
struct Settings {
  DataSettings data;
  models::ModelOptions model;
  models::TrainerOptions trainer;
  data::BatchesOptions batches;
  RunSettings run;
  bool int8 = false;  ///< train with rounded weights, see compress::RoundedTraining
  PruneSettings prune;
  TeacherSettings teacher;
};

/// The defaults of `gradus train`.
Settings default_settings();
/// The default settings, with the model and training options of the preset in place of the default ones. For
/// an unknown name, the default settings.
Settings preset_settings(const std::string& name);

/// to_text() converts settings to TOML, which `gradus train --config` reads. settings_from_text() converts
/// back.
/// @throws Error: to_text() for a path that would not be read back unchanged; settings_from_text() for an
/// unknown key, a wrong value, or a text that Toml refuses.
std::string to_text(const Settings& settings);
/// to_text() with only the options that a trained model needs: data, tokens, model, and the seed, which
/// determines the examples of a task.
std::string text_without_training(const Settings& settings);
Settings settings_from_text(const std::string& text);

}  // namespace gradus::tools
