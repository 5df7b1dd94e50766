#include <gradus/autograd/ops.hpp>
#include <gradus/models/bahdanau_decoder.hpp>
#include <gradus/models/fixed_context_decoder.hpp>
#include <gradus/models/seq2seq.hpp>

#include <utility>

namespace gradus::models {

Seq2Seq::Seq2Seq(const EncoderOptions& options, std::unique_ptr<nn::DecoderStep> given)
    : encoder(options), decoder(std::move(given)) {
  if (!decoder) fail("Seq2Seq", "the given decoder is null");
  add_module("encoder", encoder);
  add_module("decoder", *decoder);
}

nn::DecoderStep::Start Seq2Seq::start(const Tensor& source, const Tensor& source_lengths) const {
  const Scope scope = enter();
  return decoder->start(encoder.forward(source, source_lengths));
}

Seq2Seq::Output Seq2Seq::forward(const Tensor& source, const Tensor& source_lengths,
                                 const Tensor& target_in) const {
  const Scope scope = enter();
  std::vector<Tensor> logits, weights;
  nn::for_each_step(*decoder, start(source, source_lengths), target_in,
                    [&](std::int64_t /*t*/, nn::DecoderStep::Output& output) {
                      logits.push_back(std::move(output.logits));
                      weights.push_back(std::move(output.weights));
                    });
  return {stack(logits), std::move(weights)};
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
