#pragma once

#include <gradus/autograd/precision.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/data/batch.hpp>
#include <gradus/models/loss.hpp>
#include <gradus/models/processes.hpp>
#include <gradus/models/seq2seq.hpp>
#include <gradus/nn/optimiser.hpp>
#include <gradus/nn/plateau.hpp>
#include <gradus/nn/schedule.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::models {

/// A stream of batches. Its position can be saved and restored if the functions `state` and `set_state` are
/// given. Without them, a Trainer can train, but Trainer::state() and load_state() throw an Error.
struct BatchStream {
  std::function<data::Batch()> next;
  /// Returns the position as a fixed number of integers. After set_state(position), the stream continues from
  /// this position.
  std::function<std::vector<std::int64_t>()> state = {};
  /// Restores a position. Throws if the position belongs to another stream; this stream is unchanged in that
  /// case.
  std::function<void(const std::vector<std::int64_t>&)> set_state = {};
};

struct TrainerOptions {
  std::int64_t steps = 1000;       ///< total number of updates
  std::string optimiser = "adam";  ///< a name in nn::optimisers()
  double learning_rate = 3e-3;     ///< suits Adam and small models; nn::optimisers() has the rules' defaults
  std::optional<double> weight_decay =
      {};  ///< λ ≥ 0; the rule's default if not given: 0.01 for AdamW, else 0
  /// A name in nn::schedules(). A schedule determines a factor on the learning rate after the warm-up. With
  /// "constant", the factor is 1. With "plateau", evaluations determine the factor (nn::PlateauDetector). An
  /// evaluation is an improvement if it betters the best score by more than 0.01 %. After more than
  /// `plateau_patience` evaluations in a row without improvement, the factor is multiplied by
  /// `plateau_factor`. The factor never falls below `final_factor`. With the other schedules, the factor
  /// falls from 1, at the end of the warm-up, to `final_factor` at the last step.
  std::string schedule = "linear";
  double final_factor = 0.1;
  double plateau_factor = 0.5;
  std::int64_t plateau_patience = 2;
  std::int64_t warm_up = 0;  ///< steps of linear learning-rate increase at the start
  /// Batches per update, at least 1. The gradient is that of the mean loss over all target tokens of these
  /// batches, as for one large batch.
  std::int64_t accumulate = 1;
  /// N, a power of two: the number of shards of each batch. If N > 1, the shards' gradients are computed one
  /// after the other and added up in the fixed order ((g_0 + g_1) + (g_2 + g_3)) + …. Random numbers for
  /// sampling and dropout depend only on default_generator()'s state, the batch and the sequence. If two runs
  /// use the same kernels and threads, their weights therefore have the same bits, even with different
  /// numbers of processes. Runs with different N differ by rounding.
  std::int64_t shards = 1;
  /// Rounds each shard's gradient, and each sum of two gradients, to bf16. This halves the bytes sent between
  /// processes. No effect if `shards` is 1.
  bool bf16_gradients = false;
  double clip_norm = 1;  ///< bound on the norm over all gradients; infinity turns clipping off
  /// The precision of matrix products in a step (MixedPrecision). Everything else stays f32.
  Precision precision = Precision::f32;
  LossOptions loss = {};        ///< `sampling` rises linearly from 0, and reaches its value at the last step
  std::int64_t eval_every = 0;  ///< steps between two evaluations; 0 for none
  nn::Better better = nn::Better::lower;  ///< direction in which scores improve
  std::int64_t patience = 0;  ///< evaluations without a new best score before training stops; 0 for no limit
  /// If true, the error for a loss or a gradient that is not finite names the operation that first produced
  /// such a value. To find this operation, the loss is computed again.
  bool names_origin = true;
  /// Called after each update, with the number of steps taken. Meant for methods that change the parameters
  /// after the optimiser has done so, such as compress::Pruning. state() does not contain this function.
  std::function<void(std::int64_t step)> after_update = {};
};

/// Returns `options` with the optimiser and the learning rate from the publication of this preset (see
/// preset() in model.hpp), and with the schedule "constant". Returns `options` unchanged for a preset without
/// a publication. @throws Error as preset() does.
TrainerOptions preset_training(std::string_view name, TrainerOptions options = {});

/// The measurements of a training step.
struct TrainStep {
  std::int64_t step;     ///< from 1
  double loss;           ///< the minimised loss of this step's batches, before the update
  double cross_entropy;  ///< in nats per token, without label smoothing and the loss's other terms
  double gradient_norm;  ///< before clipping
  double learning_rate;
  std::int64_t tokens;  ///< real target tokens of this step's batches
};

/// Trains a model step by step. A step takes the next batches (TrainerOptions::accumulate), computes the
/// gradient of their mean loss, clips the gradient, and updates the parameters. The caller scores the model
/// on held-out data:
///
///     while (!trainer.finished()) {
///       trainer.step();
///       if (trainer.evaluation_due() && trainer.observe(evaluate_loss(model, held_out))) …  // save it
///     }
///
/// Sampling and dropout draw from the calling thread's default_generator(). With shards, they draw from one
/// generator per batch, which default_generator() seeds.
class Trainer {
 public:
  /// The model must outlive the trainer. With several processes, each has its own trainer. All processes must
  /// give their trainers the same initial weights, batches, options and default_generator(), and call the
  /// same functions in the same order.
  /// @throws Error if `batches` has no `next`, for options out of range, for unknown names, for a precision
  /// that MixedPrecision refuses, and for a plateau schedule without evaluations. Also throws if the number
  /// of processes does not divide the number of shards, or another member of `processes` is missing or out of
  /// range.
  Trainer(Seq2Seq& model, BatchStream batches, const TrainerOptions& options = {}, Processes processes = {});

  /// Runs one step in training mode. @throws Error if the loss or a gradient is not finite; the parameters
  /// are unchanged in that case. The error names the step and, with `names_origin`, the operation that first
  /// produced such a value.
  TrainStep step();
  std::int64_t steps() const { return steps_; }  ///< number of steps taken
  /// True if all steps are taken. Also true if `patience` is above 0 and the last `patience` evaluations gave
  /// no new best score.
  bool finished() const;

  /// True after every `eval_every` steps and after the last step, until observe() or skip_evaluation() is
  /// called. Always false if `eval_every` is 0. If a state was saved while an evaluation was due, an
  /// evaluation is due again after this state is loaded.
  bool evaluation_due() const;
  /// Records a score on held-out data. Returns true if the score is the best so far; NaN is never the best.
  bool observe(double score);
  /// Marks the due evaluation as done without a score. Does not count for `patience` or the plateau schedule.
  /// Leaves the best score unchanged.
  void skip_evaluation() { evaluated_ = steps_; }
  /// Forgets all scores, for example because later scores measure something else. The next score will be the
  /// best so far. The counts for `patience` and the plateau schedule start again at 0. The learning rate does
  /// not change.
  void forget_scores();
  /// The best score so far. Before the first score: infinity if lower is better, else −infinity.
  double best() const { return best_; }
  /// The learning rate of the next step.
  double learning_rate() const;

  /// A copy of everything needed to resume. Names that begin with "model." are the model's state_dict(). The
  /// others begin with "trainer.": "optimiser.…", "steps", "evaluated" (the step of the last evaluation),
  /// "best", "bad" (evaluations since the last best), "generator" (default_generator()'s seed and position,
  /// (2)), "stream" (the position of the stream, (n)) and, with the plateau schedule, "plateau.…" (the
  /// detector's state) and "plateau_factor" (the factor on the learning rate). Unsigned numbers are stored as
  /// i64 with the same bits.
  /// @throws Error if the stream has no state.
  NamedTensors state() const;
  /// Restores a state that was saved with the same model sizes and options. Two options may differ: `steps`
  /// may be larger, and `schedule` may be another one. The options are not part of the state. A plateau
  /// schedule starts afresh if the state has no "trainer.plateau.…" entries. With the same threads and
  /// kernels, later steps are bit-identical to those of an uninterrupted run.
  /// @throws Error if the stream has no state, and as nn::StateReader::finish(), Module::load_state_dict()
  /// and BatchStream::set_state do. After an error, nothing has changed.
  void load_state(const NamedTensors& state);

 private:
  struct Accumulated {
    double loss = 0, cross_entropy = 0;
    std::int64_t tokens = 0;  // of all batches in the step
    data::Batch last;         // the last batch or shard that this process computed
    Generator draws{};        // the default generator before `last` was computed
  };
  double done() const;
  Accumulated accumulate(const LossOptions& options);
  void add_batch(data::Batch batch, const LossOptions& options, Accumulated& sum,
                 const std::function<void()>& before_backward);
  void add_shards(const std::vector<data::Batch>& batches, const LossOptions& options, Accumulated& sum);
  std::string origin(const LossOptions& options, const Accumulated& sum) const;

  Seq2Seq& model_;
  std::vector<Tensor> parameters_;
  BatchStream batches_;
  TrainerOptions options_;
  Processes processes_;
  std::vector<std::size_t> bucket_order_;  // the order in which gradients are sent
  nn::Schedule schedule_;
  std::optional<nn::PlateauDetector> plateau_;
  double plateau_factor_ = 1;  // on the learning rate
  std::unique_ptr<nn::Optimiser> optimiser_;
  std::int64_t steps_ = 0, evaluated_ = 0, bad_ = 0;
  double best_;
};

}  // namespace gradus::models
#pragma GCC visibility pop
