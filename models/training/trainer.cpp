// A Trainer's step (the gradient of a batch, clipping, the update), and its scores.

#include <gradus/autograd/anomaly.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/precision.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/autograd/scope.hpp>
#include <gradus/models/trainer.hpp>
#include <gradus/nn/clip.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace gradus::models {

// The completed fraction of all steps: 0 at the first step, 1 at the last one.
double Trainer::done() const {
  if (options_.steps == 1) return 0;
  return std::min(1.0, static_cast<double>(steps_) / static_cast<double>(options_.steps - 1));
}

TrainStep Trainer::step() {
  const MixedPrecision precision(options_.precision);
  const std::int64_t number = steps_ + 1;
  LossOptions options = options_.loss;
  options.sampling *= done();
  model_.train();
  optimiser_->zero_grad();
  const Accumulated sum = accumulate(options);
  const double norm = nn::clip_grad_norm(parameters_, options_.clip_norm);
  if (!std::isfinite(norm)) {
    fail("Trainer", "the norm of the gradient at step ", number, " is ", norm, "; lower the learning rate",
         origin(options, sum));
  }
  const double rate = learning_rate();
  optimiser_->set_learning_rate(rate);
  optimiser_->step();
  steps_ = number;
  if (options_.after_update) options_.after_update(steps_);
  return {.step = number,
          .loss = sum.loss,
          .cross_entropy = sum.cross_entropy,
          .gradient_norm = norm,
          .learning_rate = rate,
          .tokens = sum.tokens};
}

// Accumulates the gradient of the mean loss per token over the next batches.
Trainer::Accumulated Trainer::accumulate(const LossOptions& options) {
  std::vector<data::Batch> batches;
  Accumulated sum;
  while (std::ssize(batches) < options_.accumulate) {
    batches.push_back(batches_.next());
    sum.tokens += batches.back().target_tokens();
  }
  if (options_.shards > 1) {
    add_shards(batches, options, sum);
  } else {
    for (data::Batch& batch : batches) add_batch(std::move(batch), options, sum, [] {});
  }
  return sum;
}

// Adds the gradient of this batch's contribution to the mean loss over `sum.tokens` tokens.
void Trainer::add_batch(data::Batch batch, const LossOptions& options, Accumulated& sum,
                        const std::function<void()>& before_backward) {
  sum.draws = default_generator();
  sum.last = std::move(batch);
  Loss loss = models::loss(model_, sum.last, options);
  const double value = loss.total.item();
  if (!std::isfinite(value)) {
    fail("Trainer", "the loss at step ", steps_ + 1, " is ", value,
         "; lower the learning rate or the clipping norm", origin(options, sum));
  }
  const double fraction = static_cast<double>(loss.tokens) / static_cast<double>(sum.tokens);
  sum.loss += value * fraction;
  sum.cross_entropy += loss.cross_entropy * fraction;
  if (loss.tokens < sum.tokens) loss.total = loss.total * fraction;
  before_backward();
  loss.total.backward();
}

// The end of an error message. Names the first operation whose result or gradient is not finite. To find this
// operation, recomputes the last loss with the same random draws.
std::string Trainer::origin(const LossOptions& options, const Accumulated& sum) const {
  const std::string before = "; the first non-finite value came from ";
  if (!options_.names_origin) return "";
  if (sum.last.size == 0) return before + "another process";
  default_generator() = sum.draws;
  model_.zero_grad();
  try {
    const DetectAnomaly detect;
    models::loss(model_, sum.last, options).total.backward();
  } catch (const Error& error) {
    return before + error.what();
  }
  return before + "no single operation";
}

double Trainer::learning_rate() const { return options_.learning_rate * schedule_(steps_) * plateau_factor_; }

bool Trainer::finished() const {
  return steps_ >= options_.steps || (options_.patience > 0 && bad_ >= options_.patience);
}

bool Trainer::evaluation_due() const {
  if (options_.eval_every == 0 || evaluated_ == steps_) return false;
  return steps_ % options_.eval_every == 0 || steps_ >= options_.steps;
}

bool Trainer::observe(double score) {
  const bool is_best = options_.better == nn::Better::lower ? score < best_ : score > best_;
  if (is_best) best_ = score;
  bad_ = is_best ? 0 : bad_ + 1;
  if (plateau_ && plateau_->step(score)) plateau_factor_ = plateau_->reduced(plateau_factor_);
  evaluated_ = steps_;
  return is_best;
}

}  // namespace gradus::models
