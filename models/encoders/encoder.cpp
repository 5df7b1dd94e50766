#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/models/embedding_deviation.hpp>
#include <gradus/models/encoder.hpp>

#include "encoders/drop.hpp"

namespace gradus::models {
namespace {

std::int64_t input_size(const EncoderOptions& options) {
  if ((options.vocabulary > 0) == (options.vectors > 0)) {
    fail("Encoder", "needs either a vocabulary (tokens) or a vector size, and got ", options.vocabulary,
         " and ", options.vectors);
  }
  return options.vocabulary > 0 ? options.embedding : options.vectors;
}

std::unique_ptr<nn::Embedding> make_embedding(const EncoderOptions& options) {
  if (options.vocabulary == 0) return nullptr;
  if (options.tied_embedding.defined()) {
    return std::make_unique<nn::Embedding>(options.tied_embedding, nn::EmbeddingOptions{.shared = true});
  }
  return std::make_unique<nn::Embedding>(options.vocabulary, options.embedding, embedding_deviation);
}

}  // namespace

Encoder::Encoder(const EncoderOptions& options)
    : embedding(make_embedding(options)),
      rnn(make_recurrent(
          options.cell, input_size(options), options.hidden,
          {.layers = options.layers, .bidirectional = options.bidirectional, .dropout = options.dropout})),
      dropout_(options.dropout) {
  if (embedding) add_module("embedding", *embedding);
  add_module("rnn", *rnn);
}

nn::Annotations Encoder::forward(const Tensor& source, const Tensor& lengths) const {
  const Scope scope = enter();
  if (source.rank() != (embedding ? 2 : 3)) {
    fail("Encoder", "the source is ", source.shape(), " and must be ", embedding ? "(T, B)" : "(T, B, D)");
  }
  check_lengths("Encoder", lengths, source.size(1), source.size(0));
  for (const std::int64_t length : lengths.values<std::int64_t>()) {
    if (length == 0) fail("Encoder", "a source is empty; remove empty sentences from the batch");
  }
  auto [h, last] = rnn->run(drop(embedding ? embedding->forward(source) : source, dropout_, *this), lengths);
  const int directions = rnn->directions();
  const std::int64_t top = (rnn->layers() - 1) * directions;  // of h_n, (layers · directions, B, H)
  return {.h = h,
          .lengths = lengths,
          .last_forward = last[0][top],
          .first_backward = directions == 2 ? last[0][top + 1] : Tensor(),
          .last = std::move(last)};
}

}  // namespace gradus::models
