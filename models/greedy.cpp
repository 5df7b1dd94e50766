#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/runtime.hpp>
#include <gradus/models/greedy.hpp>

#include <algorithm>

namespace gradus::models {
namespace {

// Row b of every step's weights, over its first `length` positions.
Tensor alignment(const std::vector<Tensor>& steps, std::int64_t b, std::size_t tokens, std::int64_t length) {
  Tensor result = empty({static_cast<std::int64_t>(tokens), length});
  auto to = result.mutable_values<float>().begin();
  for (std::size_t t = 0; t < tokens; ++t) {
    const std::vector<float> row = steps[t][b].slice(0, length).to_vector<float>();
    to = std::copy(row.begin(), row.end(), to);
  }
  return result;
}

}  // namespace

std::vector<Decoded> greedy(const Seq2Seq& model, const Tensor& source, const Tensor& lengths,
                            std::int64_t max_steps) {
  const NoGrad no_grad;
  const std::int64_t B = source.size(1);
  auto [state, memory] = model.decoder->start(model.encoder.forward(source, lengths));
  Tensor previous = full({B}, data::bos, Dtype::i64);
  std::vector<Decoded> decoded(static_cast<std::size_t>(B));
  std::vector<Tensor> weights;
  const auto finished = [](const Decoded& d) { return !d.tokens.empty() && d.tokens.back() == data::eos; };
  for (std::int64_t t = 0; t < max_steps && !std::all_of(decoded.begin(), decoded.end(), finished); ++t) {
    const nn::DecoderStep::Output output = model.decoder->step(previous, state, memory);
    previous = argmax(output.logits);  // (B)
    state = output.state;
    weights.push_back(output.weights);
    for (std::int64_t b = 0; b < B; ++b) {
      Decoded& row = decoded[static_cast<std::size_t>(b)];
      if (!finished(row)) row.tokens.push_back(previous.values<std::int64_t>()[static_cast<std::size_t>(b)]);
    }
  }
  for (std::int64_t b = 0; b < B; ++b) {
    Decoded& row = decoded[static_cast<std::size_t>(b)];
    if (row.tokens.empty() || !weights.front().defined()) continue;
    row.weights =
        alignment(weights, b, row.tokens.size(), lengths.values<std::int64_t>()[static_cast<std::size_t>(b)]);
  }
  return decoded;
}

std::vector<Decoded> greedy(const Seq2Seq& model, std::span<const data::Pair> pairs,
                            std::int64_t batch_size) {
  if (batch_size < 1) fail("greedy", "the batch size must be at least 1, and is ", batch_size);
  std::vector<Decoded> all;
  for (std::size_t begin = 0; begin < pairs.size(); begin += static_cast<std::size_t>(batch_size)) {
    const std::size_t size = std::min(static_cast<std::size_t>(batch_size), pairs.size() - begin);
    const data::Batch batch = data::make_batch(pairs.subspan(begin, size));
    std::vector<Decoded> some =
        greedy(model, tensor(batch.source, {batch.source_steps, batch.size}),
               tensor(batch.source_lengths, {batch.size}), 2 * batch.source_steps + 10);
    std::move(some.begin(), some.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace gradus::models
