#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/parallel_sum.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/models/bahdanau_decoder.hpp>
#include <gradus/models/fixed_context_decoder.hpp>
#include <gradus/models/seq2seq.hpp>

#include <numeric>

#include "model/shares.hpp"

namespace gradus::models {

Seq2Seq::Seq2Seq(const EncoderOptions& options, std::unique_ptr<nn::DecoderStep> given)
    : encoder(options), decoder(std::move(given)) {
  if (!decoder) fail("Seq2Seq", "the given decoder is null");
  add_module("encoder", encoder);
  add_module("decoder", *decoder);
}

Seq2Seq::Output Seq2Seq::forward(const Tensor& source, const Tensor& source_lengths,
                                 const Tensor& target_in) const {
  const Scope scope = enter();
  auto [state, memory] = decoder->start(encoder.forward(source, source_lengths));
  std::vector<Tensor> logits, weights;
  DrawsOfSteps draws(is_training());
  for (std::int64_t t = 0; t < target_in.size(0); ++t) {
    draws.at(t);
    const nn::DecoderStep::Output output = decoder->step(target_in[t], state, memory);
    logits.push_back(output.logits);
    weights.push_back(output.weights);
    state = output.state;
  }
  return {stack(logits), std::move(weights)};
}

Tensor Seq2Seq::loss(const data::Batch& batch, double label_smoothing, double* unsmoothed) const {
  const auto loss_of = [&](const data::Batch& some, double* plain) {
    return loss(tensor(some.source, {some.source_steps, some.size}), tensor(some.source_lengths, {some.size}),
                some, label_smoothing, plain);
  };
  const std::int64_t parts = shares_of_batch(*this, batch.size);
  if (parts == 1) return loss_of(batch, unsmoothed);
  const std::vector<Cut> cuts = cut(batch, parts);
  const auto tokens = static_cast<double>(batch.target_tokens());
  std::vector<double> plain(cuts.size());
  const Generator draws = default_generator();
  Generator::State drawn = draws.state();  // every part draws the same number
  const auto share = [&](std::int64_t part) {
    const auto& [some, rows] = cuts[static_cast<std::size_t>(part)];
    const DrawFrom from(draws.of_part({batch.size, rows}));
    const double weight = static_cast<double>(some.target_tokens()) / tokens;
    double& of_part = plain[static_cast<std::size_t>(part)];
    Tensor result = loss_of(some, &of_part) * weight;
    of_part *= weight;
    if (part == 0) drawn = default_generator().state();
    return result;
  };
  return with_message_of_all(
      [&] {
        Tensor sum = parallel_sum(parts, share);
        default_generator().set_state(drawn);
        if (unsmoothed) *unsmoothed = std::accumulate(plain.begin(), plain.end(), 0.0);
        return sum;
      },
      [&] { return loss_of(batch, nullptr); });
}

Tensor Seq2Seq::loss(const Tensor& source, const Tensor& source_lengths, const data::Batch& batch,
                     double label_smoothing, double* unsmoothed) const {
  const Scope scope = enter();
  const Shape target{batch.target_steps, batch.size};
  const auto start = decoder->start(encoder.forward(source, source_lengths));
  const Packing targets(tensor(batch.target_lengths, {batch.size}));
  constexpr std::int64_t none = -1;  // no target is ignored: packed targets are all real
  return cross_entropy(decoder->forward(start, tensor(batch.target_in, target), targets),
                       pack(tensor(batch.target_out, target), targets), none, label_smoothing, unsmoothed);
}

std::unique_ptr<Seq2Seq> make_bahdanau(const ModelSizes& sizes) {
  return std::make_unique<Seq2Seq>(
      EncoderOptions{.vocabulary = sizes.vocabulary, .embedding = sizes.embedding, .hidden = sizes.hidden},
      std::make_unique<BahdanauDecoder>(DecoderOptions{.vocabulary = sizes.vocabulary,
                                                       .annotation = 2 * sizes.hidden,
                                                       .embedding = sizes.embedding,
                                                       .hidden = sizes.hidden},
                                        sizes.energy));
}

std::unique_ptr<Seq2Seq> make_fixed_context(const ModelSizes& sizes, bool bidirectional) {
  return std::make_unique<Seq2Seq>(EncoderOptions{.vocabulary = sizes.vocabulary,
                                                  .embedding = sizes.embedding,
                                                  .hidden = sizes.hidden,
                                                  .bidirectional = bidirectional},
                                   std::make_unique<FixedContextDecoder>(
                                       DecoderOptions{.vocabulary = sizes.vocabulary,
                                                      .annotation = (bidirectional ? 2 : 1) * sizes.hidden,
                                                      .embedding = sizes.embedding,
                                                      .hidden = sizes.hidden}));
}

}  // namespace gradus::models
