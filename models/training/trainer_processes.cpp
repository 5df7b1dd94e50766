// A Trainer's gradient over shards, each computed by one of the processes.

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
    // The batches that have a shard with this number. A batch with few sequences has fewer shards.
    std::vector<Sharded*> parts;
    for (Sharded& batch : sharded) {
      if (shard < std::ssize(batch.shards)) parts.push_back(&batch);
    }
    for (Sharded* const batch : parts) {
      auto& [some, rows] = batch->shards[static_cast<std::size_t>(shard)];
      const DrawFrom from(of_rows(batch->draws, batch->size, std::move(rows)));
      const bool is_last = shard + 1 == first + own && batch == parts.back();
      add_batch(std::move(some), options, sum, [&] {
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
