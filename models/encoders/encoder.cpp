#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/packing.hpp>
#include <gradus/autograd/recording.hpp>
#include <gradus/models/embedding_deviation.hpp>
#include <gradus/models/encoder.hpp>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "encoders/drop.hpp"
#include "encoders/pairs.hpp"
#include "encoders/silence.hpp"

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

std::int64_t checked_levels(std::int64_t levels) {
  constexpr std::int64_t most = 16;
  if (levels < 0 || levels > most) {
    fail("Encoder", "the levels of the pyramid must be from 0 to ", most, ", and are ", levels);
  }
  return levels;
}

double checked_silence(const EncoderOptions& options) {
  const double d = options.silence;
  if (!(d >= 0 && std::isfinite(d))) {
    fail("Encoder", "silence must be a finite number of decibels, at least 0, and is ", d);
  }
  if (d > 0 && options.vectors == 0) {
    fail("Encoder", "silence needs a source of vectors, and the source is tokens; set silence to 0");
  }
  return d;
}

RecurrentOptions one_layer(const EncoderOptions& options) { return {.bidirectional = options.bidirectional}; }

std::vector<std::unique_ptr<nn::Recurrent>> lower_levels(const EncoderOptions& options) {
  std::vector<std::unique_ptr<nn::Recurrent>> levels;
  std::int64_t inputs = 2 * input_size(options);
  for (std::int64_t level = 1; level < checked_levels(options.pyramid); ++level) {
    levels.push_back(make_recurrent(options.cell, inputs, options.hidden, one_layer(options)));
    inputs = 2 * options.hidden * levels.back()->directions();
  }
  return levels;
}

// The size of the top level's inputs.
std::int64_t top_input(const EncoderOptions& options) {
  if (options.pyramid == 0) return input_size(options);
  const std::int64_t directions = options.bidirectional ? 2 : 1;
  return 2 * (options.pyramid == 1 ? input_size(options) : directions * options.hidden);
}

std::unique_ptr<nn::Linear> make_convolution(const EncoderOptions& options, const nn::Recurrent& rnn) {
  const std::int64_t D = rnn.directions() * rnn.hidden();
  return options.convolution ? std::make_unique<nn::Linear>(2 * D, D) : nullptr;
}

// Throws unless the lengths are (B), each in [1, T].
void check_source_lengths(const Tensor& lengths, const Tensor& source) {
  check_lengths("Encoder", lengths, source.size(1), source.size(0));
  for (const std::int64_t length : lengths.values<std::int64_t>()) {
    if (length == 0) fail("Encoder", "a source is empty; remove empty sentences from the batch");
  }
}

Tensor halved(const Tensor& lengths) {
  std::vector<std::int64_t> half;
  for (const std::int64_t length : lengths.values<std::int64_t>()) half.push_back(length / 2 + length % 2);
  return tensor(half);
}

// h (J, B, ·), with the steps of each sequence reordered by `order` (J, B).
Tensor in_order(const Tensor& h, const Tensor& order) {
  const std::int64_t J = h.size(0), B = h.size(1);
  std::vector<std::int64_t> rows;  // of h as (J B, ·)
  for (const std::int64_t j : order.values<std::int64_t>()) rows.push_back(j * B + std::ssize(rows) % B);
  return index_select(h.reshape({J * B, h.size(2)}), tensor(rows)).reshape(h.shape());
}

}  // namespace

Encoder::Encoder(const EncoderOptions& options)
    : embedding(make_embedding(options)),
      pyramid(lower_levels(options)),
      rnn(make_recurrent(
          options.cell, top_input(options), options.hidden,
          {.layers = options.layers, .bidirectional = options.bidirectional, .dropout = options.dropout})),
      convolution(make_convolution(options, *rnn)),
      levels_(options.pyramid),
      silence_(checked_silence(options)),
      dropout_(options.dropout) {
  if (embedding) add_module("embedding", *embedding);
  for (std::size_t level = 0; level < pyramid.size(); ++level) {
    add_module("pyramid_" + std::to_string(level), *pyramid[level]);
  }
  add_module("rnn", *rnn);
  if (convolution) add_module("convolution", *convolution);
}

nn::Annotations Encoder::forward(const Tensor& given, const Tensor& lengths) const {
  const Scope scope = enter();
  const Tensor source = !embedding && vectors_of && given.rank() == 2 ? vectors_of(given) : given;
  if (source.rank() != (embedding ? 2 : 3)) {
    fail("Encoder", "the source is ", source.shape(), " and must be ", embedding ? "(T, B)" : "(T, B, D)");
  }
  check_source_lengths(lengths, source);
  Tensor x = drop(embedding ? embedding->forward(source) : source, dropout_, *this), counts = lengths;
  // Sets the padding to 0.
  if (levels_ > 0) x = unpack(pack(x, Packing(lengths)), Packing(lengths), x.size(0));
  for (const auto& level : pyramid) {
    counts = halved(counts);
    x = drop(level->run(pairs(x), counts).output, dropout_, *this);
  }
  if (levels_ > 0) {
    counts = halved(counts);
    x = pairs(x);
  }
  auto [h, last] = rnn->run(x, counts);
  if (convolution) {
    counts = halved(counts);
    const Packing annotations(counts);  // leaves out the padding: there, the convolution would give b_c
    h = pairs(h);
    h = unpack(convolution->forward(pack(h, annotations)), annotations, h.size(0));
  }
  if (silence_ > 0) {
    const Loud loud = loud_first(power(given, source), lengths, steps_per_annotation(), silence_);
    h = in_order(h, loud.order);
    counts = loud.lengths;
  }
  const int directions = rnn->directions();
  const std::int64_t top = (rnn->layers() - 1) * directions;  // row of h_n, (layers · directions, B, H)
  return {.h = h,
          .lengths = counts,
          .last_forward = last[0][top],
          .first_backward = directions == 2 ? last[0][top + 1] : Tensor(),
          .last = std::move(last)};
}

Tensor Encoder::power(const Tensor& given, const Tensor& vectors) const {
  const NoGrad no_grad;
  return power_of && given.rank() == 2 ? power_of(given) : mean(vectors * vectors, 2);
}

Tensor Encoder::order(const Tensor& given, const Tensor& lengths) const {
  check_source_lengths(lengths, given);
  if (silence_ > 0) {
    const Tensor source = vectors_of && given.rank() == 2 ? vectors_of(given) : given;
    return loud_first(power(given, source), lengths, steps_per_annotation(), silence_).order;
  }
  const std::int64_t each = steps_per_annotation(), J = (given.size(0) + each - 1) / each;
  return expand(arange(J).reshape({J, 1}), {J, given.size(1)});
}

Tensor Encoder::annotation_counts(const Tensor& lengths) const {
  Tensor counts = lengths;
  for (std::int64_t each = steps_per_annotation(); each > 1; each /= 2) counts = halved(counts);
  return counts;
}

std::int64_t Encoder::steps_per_annotation() const {
  return std::int64_t{1} << (levels_ + (convolution ? 1 : 0));
}

WeightColumns Encoder::weight_columns(std::int64_t length) const {
  const WeightColumns of_steps{.count = length, .per_annotation = steps_per_annotation()};
  return embedding ? of_steps : WeightColumns{.count = of_steps.annotations()};
}

}  // namespace gradus::models
