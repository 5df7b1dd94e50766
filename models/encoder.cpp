#include <gradus/autograd/checks.hpp>
#include <gradus/models/embedding_deviation.hpp>
#include <gradus/models/encoder.hpp>

namespace gradus::models {

Encoder::Encoder(const EncoderOptions& options)
    : embedding(options.vocabulary, options.embedding, embedding_deviation),
      gru(options.embedding, options.hidden, {.bidirectional = options.bidirectional}) {
  add_module("embedding", embedding);
  add_module("gru", gru);
}

nn::Annotations Encoder::forward(const Tensor& source, const Tensor& lengths) const {
  const Scope scope = enter();
  if (source.rank() != 2) fail("Encoder", "the source is ", source.shape(), " and must be (T, B)");
  check_lengths("Encoder", lengths, source.size(1), source.size(0));
  for (const std::int64_t length : lengths.values<std::int64_t>()) {
    if (length == 0) fail("Encoder", "a source has no token; leave empty sentences out of the batch");
  }
  const auto [h, h_n] = gru.forward(embedding.forward(source), lengths);
  return {.h = h,
          .lengths = lengths,
          .last_forward = h_n[0],
          .first_backward = gru.directions() == 2 ? h_n[1] : Tensor()};
}

}  // namespace gradus::models
