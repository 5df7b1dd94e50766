#pragma once

#include <gradus/autograd/random.hpp>
#include <gradus/autograd/runtime.hpp>
#include <gradus/data/batch.hpp>
#include <gradus/models/loss.hpp>
#include <gradus/models/seq2seq.hpp>
#include <gradus/nn/optimiser.hpp>
#include <gradus/nn/plateau.hpp>
#include <gradus/nn/schedule.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::models {

/// Where batches come from, and how to come back to a place there. Without the last two a Trainer runs, but
/// has no state.
struct BatchStream {
  std::function<data::Batch()> next;
  /// The place: always as many numbers, from which set_state() goes on with the same batches.
  std::function<std::vector<std::int64_t>()> state = {};
  /// Throws for the place of another stream, and is then where it was.
  std::function<void(const std::vector<std::int64_t>&)> set_state = {};
};

struct TrainerOptions {
  std::int64_t steps = 1000;       ///< updates in all
  std::string optimiser = "adam";  ///< adam, adamw, sgd, adadelta, rmsprop, adagrad; as their rules stand
  double learning_rate = 3e-3;     ///< Adam's; Adadelta's is 1
  /// The learning rate's factor from the end of the warm-up to the last step: constant (1), or from 1 to
  /// `final_factor` as linear, cosine or exponential.
  std::string schedule = "linear";
  double final_factor = 0.1;
  std::int64_t warm_up = 0;  ///< steps in which the learning rate first rises in a straight line
  double clip_norm = 1;      ///< of all gradients together; infinity for none
  /// The precision of the products of a step, as in MixedPrecision. Parameters and all else stay f32.
  Precision precision = Precision::f32;
  LossOptions loss = {};        ///< its sampling is reached at the last step, in a straight line from 0
  std::int64_t eval_every = 0;  ///< steps between two evaluations; 0 for none
  nn::Better better = nn::Better::lower;  ///< which scores are better
  std::int64_t patience = 0;  ///< evaluations in a row without a new best before it stops; 0 for ever
};

/// The options with the optimiser, the learning rate and the schedule that the source of the preset
/// (model.hpp) trains with, and as they are where it does not say so. @throws Error as preset().
TrainerOptions preset_training(std::string_view name, TrainerOptions options = {});

/// What is known after a step.
struct TrainStep {
  std::int64_t step;     ///< from 1
  double loss;           ///< of this step's batch, before the update: what is minimised
  double cross_entropy;  ///< the same in nats a token, without what else is minimised
  double gradient_norm;  ///< before clipping
  double learning_rate;
  std::int64_t tokens;  ///< real target tokens of this step's batch
};

/// Trains a model, a step at a time: draws a batch, takes the gradient of its loss, clips it, and updates.
/// How the model is scored on held-out data is the caller's:
///
///     while (!trainer.finished()) {
///       trainer.step();
///       if (trainer.evaluation_due() && trainer.observe(evaluate_loss(model, held_out))) …  // keep it
///     }
///
/// Sampling and dropout draw from default_generator(), the calling thread's.
class Trainer {
 public:
  /// The model must live as long. @throws Error for options out of range, unknown names, and a precision that
  /// MixedPrecision refuses.
  Trainer(Seq2Seq& model, BatchStream batches, const TrainerOptions& options = {});

  /// One step, in training mode. @throws Error naming the step when a loss or a gradient is not finite, and
  /// the operation where that began; the parameters are then those before it.
  TrainStep step();
  std::int64_t steps() const { return steps_; }  ///< how many were taken
  /// All steps are taken, or patience has run out.
  bool finished() const;

  /// After every `eval_every` steps and after the last one, until a score is observed: also once a state is
  /// loaded that was saved between the two.
  bool evaluation_due() const;
  /// Takes note of a score on held-out data; whether it is the best so far. NaN never is.
  bool observe(double score);
  double best() const { return best_; }  ///< infinite, the wrong way, before the first

  /// A copy of all that training goes on from, under "model." the model's state_dict() and under "trainer."
  /// the rest: "optimiser.…", "steps", "evaluated" (at which step last), "best", "bad" (evaluations in a row
  /// without a new best), "generator" (default_generator()'s seed and position, (2)), "stream" (n). Unsigned
  /// numbers are kept by their bits.
  /// @throws Error when the stream has none.
  NamedTensors state() const;
  /// Goes on from there, in a trainer with the same options and a model of the same sizes: the next steps
  /// give the bits that they would have given, with the same threads and kernels. The options are not part
  /// of the state; more steps may be asked for.
  /// @throws Error that lists what is missing, unexpected or does not fit, or as the stream; nothing is
  /// loaded then.
  void load_state(const NamedTensors& state);

 private:
  double done() const;
  std::string origin(const data::Batch& batch, const LossOptions& options,
                     const Generator::State& draws) const;

  Seq2Seq& model_;
  std::vector<Tensor> parameters_;
  BatchStream batches_;
  TrainerOptions options_;
  nn::Schedule schedule_;
  std::unique_ptr<nn::Optimiser> optimiser_;
  std::int64_t steps_ = 0, evaluated_ = 0, bad_ = 0;
  double best_;
};

}  // namespace gradus::models
#pragma GCC visibility pop
