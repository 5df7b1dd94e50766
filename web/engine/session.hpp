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
#include "symbols.hpp"

/// The training that the page shows.
namespace gradus::web {

struct ModelSettings : models::ModelOptions {
  Mistakes mistakes = {};  ///< for the decoder bahdanau
};

struct Settings {
  std::string task = "reverse";  ///< a name for data::make_task()
  data::TaskOptions task_options;
  std::int64_t batch = 64;  ///< sequences in a batch, 1 to 256
  std::uint64_t seed = 1;   ///< of the initial weights and of the batches
  models::TrainerOptions trainer;
  std::vector<ModelSettings> models;  ///< one or two
};

/// @throws Error unless every size is in the range that a page can hold, naming the setting.
void check(const Settings& settings);

/// One or two models that are trained on the same batches of a task. Equal settings give equal models, bit
/// for bit, wherever WebAssembly runs. A model does not depend on the other one.
///
/// A fifth of the sources, by a hash, is held out of the training.
class Session {
 public:
  /// @throws Error as check(), make_model() and Trainer.
  explicit Session(const Settings& settings);

  std::size_t models() const { return trained_.size(); }
  const models::Seq2Seq& model(std::size_t number) const { return *trained_.at(number).model; }
  const Symbols& symbols() const { return symbols_; }
  const Settings& settings() const { return settings_; }
  std::int64_t steps() const { return steps_; }  ///< updates made
  bool finished() const { return steps_ >= settings_.trainer.steps; }

  /// Makes one update of every model, with the same batch. @return the loss of each model before its update
  /// @throws Error if the training is finished, and as Trainer::step().
  std::vector<double> step();

  /// Greedy decoding of `each` held-out sources of every length, from the shortest length in training to the
  /// longest plus three. For dates, ten times as many sources. Calls with the same `each` use the same
  /// sources.
  std::vector<data::ExactMatchByLength> measure(std::int64_t each);

  /// A held-out example. Draws from a generator of its own.
  data::Pair example();

  /// The right target of a source, with EOS, from the task's rule. Dates have no rule: their target is that
  /// of the example, and std::nullopt if the source is not an example.
  std::optional<std::vector<std::int64_t>> target_of(const std::vector<std::int64_t>& source) const;

  /// A model's greedy output. If the target is known, the output is at most three tokens longer.
  models::Decoded translate(std::size_t number, const std::vector<std::int64_t>& source) const;
  /// The same model reading the given target.
  models::Decoded force(std::size_t number, const data::Pair& pair) const;

  /// A hash of all parameters of a model.
  std::uint64_t fingerprint(std::size_t number) const;
  /// Writes a checkpoint that `gradus translate` and the other commands load.
  /// @throws Error for a model with mistakes, which the commands do not have.
  void save(std::size_t number, const std::filesystem::path& path) const;

 private:
  struct Trained {
    std::unique_ptr<models::Seq2Seq> model;
    std::unique_ptr<models::Trainer> trainer;
  };

  std::vector<data::Pair> generate(const data::TaskOptions& options, std::int64_t count, Generator& draws,
                                   bool held_out) const;

  Settings settings_;
  Symbols symbols_;
  Generator batches_, examples_{20140903};
  data::Batch batch_;
  std::vector<Trained> trained_;
  std::int64_t steps_ = 0;
  std::int64_t measured_each_ = 0;
  std::vector<data::Pair> measured_;  // the sources of measure()
  std::vector<data::Pair> shown_;     // the examples of a task without a rule
};

}  // namespace gradus::web
