// How a Trainer is made, saved and restored.

#include <gradus/autograd/precision.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/autograd/scope.hpp>
#include <gradus/models/trainer.hpp>
#include <gradus/nn/optimisers.hpp>
#include <gradus/nn/state_reader.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace gradus::models {
namespace {

void check(const TrainerOptions& options) {
  const auto at_least = [](const char* what, std::int64_t least, std::int64_t value) {
    if (value < least) fail("Trainer", what, " must be at least ", least, ", and is ", value);
  };
  at_least("the number of steps", 1, options.steps);
  at_least("the number of steps between evaluations", 0, options.eval_every);
  at_least("patience", 0, options.patience);
  at_least("the number of batches to accumulate", 1, options.accumulate);
  if (options.shards < 1 || !std::has_single_bit(static_cast<std::uint64_t>(options.shards))) {
    fail("Trainer", "the number of shards must be a power of two, and is ", options.shards);
  }
  if (!(options.clip_norm > 0)) {
    fail("Trainer", "clip_norm must be above 0, and is ", options.clip_norm, "; infinity turns clipping off");
  }
  options.loss.check("Trainer");
  const MixedPrecision is_supported(options.precision);
  if (options.schedule == "plateau" && options.eval_every == 0) {
    fail("Trainer", "the plateau schedule needs evaluations, and eval_every is 0; raise it");
  }
}

void check(const Processes& processes, std::int64_t shards) {
  const auto& [rank, count, start_sum, finish_sums] = processes;
  if (count < 1 || shards % count != 0) {
    fail("Trainer", shards, shards == 1 ? " shard" : " shards", " cannot be divided evenly among ", count,
         " processes; set `shards` to a power of two that is a multiple of the number of processes");
  }
  if (rank < 0 || rank >= count) fail("Trainer", "there is no process ", rank, " among ", count);
  if (count > 1 && !(start_sum && finish_sums)) {
    fail("Trainer", "several processes need Processes::start_sum and finish_sums; set both");
  }
}

Tensor saved(std::int64_t value) { return tensor(std::vector{value}, {}); }
Tensor saved(const std::vector<std::int64_t>& values) { return tensor(values, {std::ssize(values)}); }

std::vector<std::int64_t> saved_generator() {
  const Generator::State state = default_generator().state();
  return {std::bit_cast<std::int64_t>(state.seed), std::bit_cast<std::int64_t>(state.position)};
}

std::unique_ptr<nn::Optimiser> make_optimiser(const TrainerOptions& options,
                                              const std::vector<Tensor>& parameters) {
  const nn::OptimiserKind& kind = nn::find_optimiser(options.optimiser);
  return kind.make(parameters, options.learning_rate, options.weight_decay.value_or(kind.weight_decay));
}

// The schedule named in the options, after a warm-up, over steps t = 0 … options.steps − 1.
nn::Schedule make_schedule(const TrainerOptions& options) {
  const nn::ScheduleKind& kind = nn::find_schedule(options.schedule);
  if (!(std::isfinite(options.final_factor) && options.final_factor >= 0)) {
    fail("Trainer", "final_factor must be finite and at least 0, and is ", options.final_factor);
  }
  if (options.warm_up < 0 || options.warm_up >= options.steps) {
    fail("Trainer", "warm_up must be at least 0 and less than the number of steps, ", options.steps,
         ", and is ", options.warm_up);
  }
  const std::int64_t rest = options.steps - options.warm_up;
  nn::Schedule falls = kind.make(options.final_factor, std::max<std::int64_t>(rest - 1, 1));
  if (options.warm_up == 0) return falls;
  // The warm-up does not begin at 0: a step with rate 0 would be wasted.
  const double first = 1 / static_cast<double>(options.warm_up + 1);
  return nn::schedule::warm_up(options.warm_up, std::move(falls), first);
}

// The detector for the plateau schedule; std::nullopt for other schedules. The detector scales a factor on
// the learning rate, not the rate itself.
std::optional<nn::PlateauDetector> make_plateau(const TrainerOptions& options) {
  if (options.schedule != "plateau") return std::nullopt;
  if (options.final_factor >= 1) {
    fail("Trainer", "final_factor must be below 1 for the plateau schedule to lower the rate, and is ",
         options.final_factor);
  }
  return nn::PlateauDetector({.better = options.better,
                              .factor = options.plateau_factor,
                              .patience = options.plateau_patience,
                              .minimum = options.final_factor});
}

void add(NamedTensors& all, const std::string& prefix, const NamedTensors& some) {
  for (const auto& [name, tensor] : some) all.emplace_back(prefix + name, tensor);
}

}  // namespace

Trainer::Trainer(Seq2Seq& model, BatchStream batches, const TrainerOptions& options, Processes processes)
    : model_(model),
      parameters_(model.parameters()),
      batches_(std::move(batches)),
      options_(options),
      processes_(std::move(processes)) {
  if (!batches_.next) fail("Trainer", "the stream of batches has no next(); set it");
  check(options);
  check(processes_, options.shards);
  schedule_ = make_schedule(options);
  optimiser_ = make_optimiser(options_, parameters_);
  forget_scores();
}

void Trainer::forget_scores() {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  best_ = options_.better == nn::Better::lower ? infinity : -infinity;
  bad_ = 0;
  plateau_ = make_plateau(options_);
}

NamedTensors Trainer::state() const {
  if (!batches_.state || !batches_.set_state) {
    fail("Trainer", "the stream of batches has no position to save; give it state() and set_state()");
  }
  NamedTensors state;
  for (const auto& [name, tensor] : model_.state_dict()) state.emplace_back("model." + name, tensor.clone());
  add(state, "trainer.optimiser.", optimiser_->state());
  add(state, "trainer.",
      {{"steps", saved(steps_)},
       {"evaluated", saved(evaluated_)},
       {"best", full({}, best_, Dtype::f64)},
       {"bad", saved(bad_)},
       {"generator", saved(saved_generator())},
       {"stream", saved(batches_.state())}});
  if (plateau_) {
    add(state, "trainer.plateau.", plateau_->state());
    state.emplace_back("trainer.plateau_factor", full({}, plateau_factor_, Dtype::f64));
  }
  return state;
}

void Trainer::load_state(const NamedTensors& state) {
  if (!batches_.state || !batches_.set_state) {
    fail("Trainer", "the stream of batches cannot restore a position; give it state() and set_state()");
  }
  const std::vector<std::int64_t> place_before = batches_.state();
  nn::StateReader reader(state);
  const NamedTensors model = reader.part("model."), of_optimiser = reader.part("trainer.optimiser."),
                     of_plateau = reader.part("trainer.plateau.");
  const std::int64_t steps = reader.count("trainer.steps"), evaluated = reader.count("trainer.evaluated"),
                     bad = reader.count("trainer.bad");
  const double best = reader.number("trainer.best"),
               factor = of_plateau.empty() ? 1 : reader.not_negative("trainer.plateau_factor");
  const Tensor generator = reader.copy("trainer.generator", {2}, Dtype::i64),
               place = reader.copy("trainer.stream", {std::ssize(place_before)}, Dtype::i64);
  reader.finish("Trainer", "load the state of a trainer with the same kind of batches");

  // Everything that may throw comes first, so that an error leaves the trainer unchanged. The stream is
  // restored before the model. If the data differ, the parameters' shapes may differ, too, and the stream's
  // error is clearer.
  auto plateau = make_plateau(options_);
  if (plateau && !of_plateau.empty()) plateau->load_state(of_plateau);
  auto optimiser = make_optimiser(options_, parameters_);
  batches_.set_state(place.to_vector<std::int64_t>());
  try {
    optimiser->load_state(of_optimiser);
    model_.load_state_dict(model, "the model's state");
  } catch (...) {
    batches_.set_state(place_before);
    throw;
  }
  optimiser_ = std::move(optimiser);
  plateau_ = plateau;
  plateau_factor_ = plateau ? factor : 1;
  const auto numbers = generator.values<std::int64_t>();
  default_generator().set_state(
      {std::bit_cast<std::uint64_t>(numbers[0]), std::bit_cast<std::uint64_t>(numbers[1])});
  steps_ = steps;
  evaluated_ = evaluated;
  bad_ = bad;
  best_ = best;
}

}  // namespace gradus::models
