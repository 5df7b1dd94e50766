#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/packing.hpp>
#include <gradus/autograd/parallel_sum.hpp>
#include <gradus/autograd/recording.hpp>
#include <gradus/autograd/scope.hpp>
#include <gradus/models/loss.hpp>
#include <gradus/nn/attention_loss.hpp>
#include <gradus/nn/reinforce_loss.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "model/batch_parts.hpp"

namespace gradus::models {
namespace {

struct Unrolled {
  Tensor logits;                // (N, V), packed
  std::vector<Tensor> weights;  // (B, T_x) for each step
};

// Draws one random number, a coin, for each sequence of the whole batch, even if only a part is computed. A
// sequence's coin then does not depend on whether the batch is split into parts.
std::vector<double> tossed(std::size_t sequences, Generator& coins) {
  const BatchPart* const part = coins.part();
  std::vector<double> all(part != nullptr ? static_cast<std::size_t>(part->batch) : sequences);
  for (double& coin : all) coin = coins.uniform();
  if (part == nullptr) return all;
  std::vector<double> own;
  for (const std::int64_t sequence : part->sequences) own.push_back(all[static_cast<std::size_t>(sequence)]);
  return own;
}

// The true tokens, (B). Some are replaced at random by the model's likeliest tokens.
Tensor mixed(const Tensor& truth, const Tensor& logits, double sampling, Generator& coins) {
  Tensor own = argmax(logits);
  if (sampling == 1) return own;
  Tensor result = truth.clone();
  const auto ids = result.mutable_values<std::int64_t>("loss");
  const std::vector<double> coin = tossed(ids.size(), coins);
  for (std::size_t b = 0; b < ids.size(); ++b) {
    if (coin[b] < sampling) ids[b] = own.values<std::int64_t>()[b];
  }
  return result;
}

Unrolled run_by_steps(const nn::DecoderStep& decoder, nn::DecoderStep::Start start, const Tensor& target_in,
                      const Packing& targets, double sampling, Generator& coins) {
  std::vector<Tensor> logits, weights;
  nn::for_each_step(
      decoder, std::move(start),
      [&](std::int64_t t, nn::DecoderStep::Start& /*at*/) {
        if (t == targets.steps()) return Tensor();
        const bool samples = t > 0 && sampling > 0;
        return samples ? mixed(target_in[t], logits.back(), sampling, coins) : target_in[t];
      },
      [&](std::int64_t /*t*/, nn::DecoderStep::Output& output) {
        logits.push_back(std::move(output.logits));
        weights.push_back(std::move(output.weights));
      });
  return {pack(stack(logits), targets), std::move(weights)};
}

// A loss term of the attention weights.
struct AttentionTerm {
  const char* option;
  double lambda;
  Tensor (*value)(const Tensor& weights, const Tensor& target_lengths);
};

// The terms that the options ask for.
std::vector<AttentionTerm> attention_terms(const LossOptions& options) {
  std::vector<AttentionTerm> terms;
  const auto add = [&](const AttentionTerm& term) {
    if (term.lambda != 0) terms.push_back(term);
  };
  add({"attention_entropy", options.attention_entropy, nn::attention_entropy});
  add({"attention_coverage", options.attention_coverage, nn::coverage_loss});
  return terms;
}

// λ times the term's value.
Tensor value_of(const AttentionTerm& term, const nn::DecoderStep& decoder, const std::vector<Tensor>& weights,
                const Tensor& lengths) {
  if (!weights.front().defined()) {
    fail("loss", term.option,
         " needs a decoder with attention; set it to 0, or use a decoder that returns weights");
  }
  if (decoder.estimator() != nn::Estimator::none) {
    fail("loss", term.option, " has no gradient for a decoder that draws positions; set it to 0");
  }
  return term.lambda * term.value(stack(weights), lengths);
}

bool draws_positions(const nn::DecoderStep& decoder) {
  return decoder.is_training() && decoder.estimator() == nn::Estimator::reinforce;
}

bool goes_by_steps(const nn::DecoderStep& decoder, const LossOptions& options) {
  return !attention_terms(options).empty() || options.sampling > 0 || options.objective.reads_weights ||
         draws_positions(decoder);
}

// ln p(y) of every real target, (T_y, B), without a gradient; 0 beyond the lengths.
Tensor log_likelihoods(const Tensor& logits, const Tensor& target_out, const Packing& targets) {
  const NoGrad constant;
  const Tensor of_all = log_softmax(logits);  // (N, V)
  return unpack(squeeze(gather(of_all, 1, unsqueeze(pack(target_out, targets), 1)), 1), targets);
}

// The loss of a whole batch, or of the part that one thread computes.
Loss loss_of(const Seq2Seq& model, const Tensor& source, const Tensor& source_lengths,
             const data::Batch& batch, const LossOptions& options, Generator& coins) {
  const Tensor target_in = tensor(batch.target_in, {batch.target_steps, batch.size}),
               target_out = tensor(batch.target_out, {batch.target_steps, batch.size}),
               lengths = tensor(batch.target_lengths, {batch.size});
  const Packing targets(lengths);
  nn::DecoderStep::Start start = model.start(source, source_lengths);
  Unrolled run =
      goes_by_steps(*model.decoder, options)
          ? run_by_steps(*model.decoder, std::move(start), target_in, targets, options.sampling, coins)
          : Unrolled{model.decoder->forward(start, target_in, targets), {}};
  Loss result{{}, 0, batch.target_tokens()};
  Tensor of_choices;  // undefined if no positions were drawn
  if (draws_positions(*model.decoder)) {
    of_choices =
        nn::reinforce_loss(stack(run.weights), log_likelihoods(run.logits, target_out, targets), lengths);
  }
  constexpr std::int64_t none = -1;  // ignores no id, because packed targets have no padding
  // Without an objective, nothing else refers to the logits, so that cross_entropy() may overwrite them.
  const Tensor kept = options.objective.value ? run.logits : Tensor();
  result.total = cross_entropy(std::move(run.logits), pack(target_out, targets), none,
                               options.label_smoothing, &result.cross_entropy);
  for (const AttentionTerm& term : attention_terms(options)) {
    result.total = result.total + value_of(term, *model.decoder, run.weights, lengths);
  }
  if (of_choices.defined()) result.total = result.total + of_choices;
  if (options.objective.value) {
    const ForcedPass pass{source, source_lengths, target_in, targets, kept, std::move(run.weights)};
    result.total = options.objective.value(pass, result.total);
  }
  return result;
}

Loss loss_of(const Seq2Seq& model, const data::Batch& batch, const LossOptions& options, Generator& coins) {
  return loss_of(model, tensor(batch.source, {batch.source_steps, batch.size}),
                 tensor(batch.source_lengths, {batch.size}), batch, options, coins);
}

// The loss of a batch, computed in parts by several threads. Every part makes the same number of draws.
// Afterwards, the default generator therefore gets the final state of part 0's generator.
Loss loss_of_parts(const Seq2Seq& model, const data::Batch& batch, const LossOptions& options,
                   std::int64_t parts) {
  const std::vector<Cut> cuts = cut(batch, parts);
  const auto tokens = static_cast<double>(batch.target_tokens());
  std::vector<double> cross_entropies(cuts.size());
  const Generator draws = default_generator();
  Generator::State drawn = draws.state();
  const Tensor total = parallel_sum(parts, [&](std::int64_t part) {
    const auto& [some, rows] = cuts[static_cast<std::size_t>(part)];
    const DrawFrom from(of_rows(draws, batch.size, rows));
    const double weight = static_cast<double>(some.target_tokens()) / tokens;
    const Loss of_part = loss_of(model, some, options, default_generator());
    cross_entropies[static_cast<std::size_t>(part)] = of_part.cross_entropy * weight;
    if (part == 0) drawn = default_generator().state();
    return of_part.total * weight;
  });
  default_generator().set_state(drawn);
  return {total, std::accumulate(cross_entropies.begin(), cross_entropies.end(), 0.0), batch.target_tokens()};
}

void check_fraction(const char* operation, const char* what, double value) {
  if (!(value >= 0 && value <= 1)) fail(operation, what, " must be in [0, 1], and is ", value);
}

}  // namespace

void LossOptions::check(const char* operation) const {
  check_fraction(operation, "the label smoothing", label_smoothing);
  check_fraction(operation, "the probability of sampling", sampling);
  if (!std::isfinite(attention_entropy)) {
    fail(operation, "attention_entropy must be finite, and is ", attention_entropy);
  }
  if (!(attention_coverage >= 0) || std::isinf(attention_coverage)) {
    fail(operation, "attention_coverage must be finite and at least 0, and is ", attention_coverage);
  }
  if (objective.value && sampling > 0) {
    fail(operation,
         "an objective reads the true previous tokens, and scheduled sampling replaces some; use only one");
  }
}

Loss loss(const Seq2Seq& model, const data::Batch& batch, const LossOptions& options, Generator& coins) {
  options.check("loss");
  const bool whole_batch = goes_by_steps(*model.decoder, options) || !options.objective.can_be_shared;
  const std::int64_t parts = whole_batch ? 1 : parts_of_batch(model, batch.size);
  const auto whole = [&] { return loss_of(model, batch, options, coins); };
  if (parts == 1) return whole();
  return with_message_of_all([&] { return loss_of_parts(model, batch, options, parts); }, whole);
}

Loss loss(const Seq2Seq& model, const Tensor& source, const Tensor& source_lengths,
          const data::Batch& targets, const LossOptions& options, Generator& coins) {
  options.check("loss");
  return loss_of(model, source, source_lengths, targets, options, coins);
}

double evaluate_loss(Seq2Seq& model, std::span<const data::Pair> pairs, std::int64_t batch_size) {
  if (pairs.empty()) fail("evaluate_loss", "needs at least one pair, and got none");
  if (batch_size < 1) fail("evaluate_loss", "the batch size must be at least 1, and is ", batch_size);
  const NoGrad no_grad;
  model.eval();
  double total = 0;
  std::int64_t tokens = 0;
  while (!pairs.empty()) {
    const std::size_t size = std::min(static_cast<std::size_t>(batch_size), pairs.size());
    const data::Batch batch = data::make_batch(pairs.first(size));
    const Loss one = loss(model, batch);
    total += one.total.item() * static_cast<double>(one.tokens);
    tokens += one.tokens;
    pairs = pairs.subspan(size);
  }
  return total / static_cast<double>(tokens);
}

}  // namespace gradus::models
