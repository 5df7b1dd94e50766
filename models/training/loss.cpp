#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/packing.hpp>
#include <gradus/autograd/runtime.hpp>
#include <gradus/models/loss.hpp>
#include <gradus/nn/attention_loss.hpp>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace gradus::models {
namespace {

// The decoder's input and target tokens.
struct Targets {
  Tensor in, out, lengths;  // (Ty, B), (N), (B)
  Packing packing;

  explicit Targets(const data::Batch& batch)
      : in(tensor(batch.target_in, {batch.target_steps, batch.size})),
        lengths(tensor(batch.target_lengths, {batch.size})),
        packing(lengths) {
    out = pack(tensor(batch.target_out, {batch.target_steps, batch.size}), packing);
  }
};

struct Run {
  Tensor logits;                // (N, V), packed
  std::vector<Tensor> weights;  // (B, Tx) for each step
};

// The true tokens, (B), some of them replaced by the model's likeliest ones.
Tensor mixed(const Tensor& truth, const Tensor& logits, double sampling, Generator& coins) {
  Tensor own = argmax(logits);
  if (sampling == 1) return own;
  Tensor result = truth.clone();
  const auto ids = result.mutable_values<std::int64_t>("loss");
  for (std::size_t b = 0; b < ids.size(); ++b) {
    if (coins.uniform() < sampling) ids[b] = own.values<std::int64_t>()[b];
  }
  return result;
}

Run run_by_steps(const nn::DecoderStep& decoder, const nn::DecoderStep::Start& start, const Targets& targets,
                 double sampling, Generator& coins) {
  std::vector<Tensor> logits, weights;
  nn::State state = start.state;
  for (std::int64_t t = 0; t < targets.packing.steps(); ++t) {
    const bool samples = t > 0 && sampling > 0;
    const Tensor input = samples ? mixed(targets.in[t], logits.back(), sampling, coins) : targets.in[t];
    nn::DecoderStep::Output output = decoder.step(input, state, start.memory);
    logits.push_back(std::move(output.logits));
    weights.push_back(std::move(output.weights));
    state = std::move(output.state);
  }
  return {pack(stack(logits), targets.packing), std::move(weights)};
}

// λ times the mean entropy of the attention weights.
Tensor entropy_term(double lambda, const std::vector<Tensor>& weights, const Tensor& lengths) {
  if (!weights.front().defined()) {
    fail("loss",
         "attention_entropy needs a decoder with attention; set it to 0, or use a decoder that returns "
         "weights");
  }
  return lambda * nn::attention_entropy(stack(weights), lengths);
}

void check_share(const char* operation, const char* what, double value) {
  if (!(value >= 0 && value <= 1)) fail(operation, what, " must be in [0, 1], and is ", value);
}

}  // namespace

void LossOptions::check(const char* operation) const {
  check_share(operation, "the label smoothing", label_smoothing);
  check_share(operation, "the probability of sampling", sampling);
  if (!std::isfinite(attention_entropy)) {
    fail(operation, "attention_entropy must be finite, and is ", attention_entropy);
  }
}

Loss loss(const Seq2Seq& model, const data::Batch& batch, const LossOptions& options, Generator& coins) {
  options.check("loss");
  const bool by_steps = options.attention_entropy != 0 || options.sampling > 0;
  Loss result{{}, 0, batch.target_tokens()};
  if (!by_steps) {
    result.total = model.loss(batch, options.label_smoothing, &result.cross_entropy);
    return result;
  }
  const Targets targets(batch);
  const auto start = model.decoder->start(model.encoder.forward(
      tensor(batch.source, {batch.source_steps, batch.size}), tensor(batch.source_lengths, {batch.size})));
  Run run = run_by_steps(*model.decoder, start, targets, options.sampling, coins);
  constexpr std::int64_t none = -1;  // no target is ignored: packed targets are all real
  result.total =
      cross_entropy(std::move(run.logits), targets.out, none, options.label_smoothing, &result.cross_entropy);
  if (options.attention_entropy != 0) {
    result.total = result.total + entropy_term(options.attention_entropy, run.weights, targets.lengths);
  }
  return result;
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
    total += model.loss(batch).item() * static_cast<double>(batch.target_tokens());
    tokens += batch.target_tokens();
    pairs = pairs.subspan(size);
  }
  return total / static_cast<double>(tokens);
}

}  // namespace gradus::models
