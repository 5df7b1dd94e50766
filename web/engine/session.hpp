#pragma once

#include <gradus/autograd/random.hpp>
#include <gradus/data/exact_match.hpp>
#include <gradus/data/tasks.hpp>
#include <gradus/models/decoded.hpp>
#include <gradus/models/model.hpp>
#include <gradus/models/trainer.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mistakes.hpp"
#include "phrases.hpp"
#include "symbols.hpp"

/// The training behind the page Play.
namespace gradus::web {

struct ModelSettings : models::ModelOptions {
  Mistakes mistakes = {};  ///< used if the decoder is "bahdanau"
};

struct Settings {
  std::string task = "reverse";  ///< a task of data::make_task(), or a phrase set
  data::TaskOptions task_options;
  std::int64_t batch = 64;  ///< sequences in a batch, 1 to 256
  std::uint64_t seed = 1;   ///< seed of the initial weights and of the batches
  models::TrainerOptions trainer;
  std::vector<ModelSettings> models;  ///< one or two
};

/// @throws Error for a setting outside the page's limits, or for mistakes in a decoder other than "bahdanau".
void check(const Settings& settings);

/// One or two models, trained on the same batches of a task. Each model's result is independent of the other
/// model. Equal settings give bit-identical models on every WebAssembly engine.
///
/// For generated tasks, a hash of the source selects a fifth of the sources, which training does not use. For
/// phrase sets, `Phrases` defines the split.
class Session {
 public:
  /// @throws Error as check(), data::make_task(), models::make_model() and models::Trainer do.
  explicit Session(const Settings& settings);

  std::size_t models() const { return trained_.size(); }
  const models::Seq2Seq& model(std::size_t number) const { return *trained_.at(number).model; }
  const Symbols& source() const { return sides_.source; }
  const Symbols& target() const { return sides_.target; }
  const Settings& settings() const { return settings_; }
  std::int64_t steps() const { return steps_; }  ///< updates made
  bool finished() const { return steps_ >= settings_.trainer.steps; }

  /// Updates every model once, with the same batch. @return each model's loss before its update
  /// @throws Error if the training is finished; also as Trainer::step() does.
  std::vector<double> step();

  /// Decodes held-out sources greedily, `each` of every length, from the shortest length in training to the
  /// longest plus three. For dates, decodes 10 · `each` sources in all. For phrases, decodes at most `each`
  /// training phrases of every length. Calls with the same `each` decode the same sources.
  std::vector<data::ExactMatchByLength> measure(std::int64_t each);

  /// A model's greedy translations of the held-out phrases: their exact match, and BLEU. std::nullopt for
  /// other tasks.
  struct HeldOut {
    data::MatchCount exact;
    double bleu;
  };
  std::optional<HeldOut> measure_held_out(std::size_t number) const;

  /// The text of a held-out source, as an example. With phrases, calls alternate between a training phrase
  /// and a held-out phrase. The random generator is separate, so that training is not affected.
  std::string example();

  /// The phrase with this source; null if there is none.
  const Phrase* phrase(const std::vector<std::int64_t>& source) const;
  /// The correct target of a source, with EOS; std::nullopt if a source of "dates" is not a date, or if a
  /// phrase is not in the set.
  std::optional<std::vector<std::int64_t>> target_of(const std::vector<std::int64_t>& source) const;

  /// A model's greedy output. If the target is known, decoding stops at most three tokens beyond the target's
  /// length.
  models::Decoded translate(std::size_t number, const std::vector<std::int64_t>& source) const;
  /// A model's output with teacher forcing: the decoder reads the target of `pair`.
  models::Decoded force(std::size_t number, const data::Pair& pair) const;

  /// Replaces the parameters of a model, like load_state_dict(). The optimiser's state does not change.
  void load(std::size_t number, const NamedTensors& parameters);

  /// A hash of all parameters of a model.
  std::uint64_t fingerprint(std::size_t number) const;
  /// Writes a checkpoint that `gradus translate` and the other commands load.
  /// @throws Error for a model with mistakes, with a Luong decoder or with the reader's own attention: the
  /// commands have none of these.
  void save(std::size_t number, const std::filesystem::path& path) const;

 private:
  struct Trained {
    std::unique_ptr<models::Seq2Seq> model;
    std::unique_ptr<models::Trainer> trainer;
  };

  std::vector<data::SentencePair> generate(const data::TaskOptions& options, std::int64_t count,
                                           Generator& draws, bool held_out) const;
  std::vector<data::Pair> encode(const std::vector<data::SentencePair>& texts) const;

  Settings settings_;
  Sides sides_;
  Generator batches_, examples_{20140903};
  bool held_out_example_ = true;  // for phrases: whether the last example was held out
  data::Batch batch_;
  std::vector<Trained> trained_;
  std::int64_t steps_ = 0;
  std::int64_t measured_each_ = 0;
  std::vector<data::Pair> measured_;  // the sources that measure() decodes
};

}  // namespace gradus::web
