// Gradients of a Trainer's step.

#include <gradus/autograd/anomaly.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/autograd/scope.hpp>
#include <gradus/models/trainer.hpp>

#include <cmath>
#include <utility>

#include "model/batch_parts.hpp"
#include "training/gradient_sum.hpp"

namespace gradus::models {
namespace {

// A batch cut into shards, and the generator for its random draws.
struct Sharded {
  std::vector<Cut> shards;
  std::int64_t size;
  Generator draws;
};

}  // namespace

// The end of a message: the first operation whose result or gradient is not finite. Recomputes the last loss
// with the same random draws to find the operation.
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
    for (data::Batch& batch : batches) add_gradient(std::move(batch), options, sum, [] {});
  }
  return sum;
}

// Adds the gradient of this batch's contribution to the mean loss over `sum.tokens` tokens.
void Trainer::add_gradient(data::Batch batch, const LossOptions& options, Accumulated& sum,
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

// Adds up the gradients of all shards. This process computes only its own shards.
void Trainer::add_shards(const std::vector<data::Batch>& batches, const LossOptions& options,
                         Accumulated& sum) {
  std::vector<Sharded> sharded;
  for (const data::Batch& batch : batches) {
    sharded.push_back({cut(batch, options_.shards), batch.size, default_generator().split()});
  }
  std::vector<Tensor> trained;
  for (const Tensor& parameter : parameters_) {
    if (parameter.requires_grad()) trained.push_back(parameter);
  }
  const std::int64_t own = options_.shards / processes_.count, first = processes_.rank * own;
  GradientSum total(trained, processes_, own, options_.bf16_gradients, bucket_order_);
  for (std::int64_t shard = first; shard < first + own; ++shard) {
    optimiser_->zero_grad();
    sum.loss = sum.cross_entropy = 0;
    // The batches that have this shard. A batch with fewer sequences than shards lacks some shards.
    std::vector<Sharded*> parts;
    for (Sharded& batch : sharded) {
      if (shard < std::ssize(batch.shards)) parts.push_back(&batch);
    }
    for (Sharded* const batch : parts) {
      auto& [some, rows] = batch->shards[static_cast<std::size_t>(shard)];
      const DrawFrom from(of_rows(batch->draws, batch->size, std::move(rows)));
      const bool is_last = shard + 1 == first + own && batch == parts.back();
      add_gradient(std::move(some), options, sum, [&] {
        if (is_last) total.add_during_backward();
      });
    }
    total.add_shard(sum.loss, sum.cross_entropy);
  }
  const GradientSum::Sums sums = total.take();
  if (!std::isfinite(sums.loss)) fail("Trainer", "another process failed at step ", steps_ + 1);
  sum.loss = sums.loss;
  sum.cross_entropy = sums.cross_entropy;
}

}  // namespace gradus::models
