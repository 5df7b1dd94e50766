#include <gradus/autograd/scope.hpp>
#include <gradus/speech/frames.hpp>

#include <algorithm>
#include <cstddef>

namespace gradus::speech {
namespace {

void check(const Tensor& x, std::size_t index, std::int64_t D) {
  const bool fits = x.rank() == 2 && x.dtype() == Dtype::f32 && x.size(0) >= 1 && x.size(1) == D;
  if (fits) return;
  fail("speech::make_batch", "the frames of utterance ", index, " are ", x.shape(), " in ", name(x.dtype()),
       " and must be (T, ", D, ") in f32, with T of at least 1");
}

}  // namespace

FrameBatch make_batch(std::span<const Utterance> utterances) {
  if (utterances.empty()) fail("speech::make_batch", "no utterances; give at least one");
  const Tensor& first = utterances.front().frames;
  const std::int64_t B = std::ssize(utterances), D = first.rank() == 2 ? first.size(1) : 0;
  std::vector<std::int64_t> lengths;
  std::vector<data::Pair> pairs;
  for (const Utterance& one : utterances) {
    check(one.frames, pairs.size(), D);
    lengths.push_back(one.frames.size(0));
    pairs.push_back({{data::first_symbol}, one.target});
  }
  Tensor frames = zeros({std::ranges::max(lengths), B, D});
  const std::span<float> to = frames.mutable_values<float>("speech::make_batch");
  for (std::int64_t b = 0; b < B; ++b) {
    const std::span<const float> from = utterances[static_cast<std::size_t>(b)].frames.values<float>();
    for (std::int64_t t = 0; t < lengths[static_cast<std::size_t>(b)]; ++t) {
      std::ranges::copy(from.subspan(static_cast<std::size_t>(t * D), static_cast<std::size_t>(D)),
                        to.begin() + (t * B + b) * D);
    }
  }
  return {frames, tensor(lengths), data::make_batch(pairs)};
}

}  // namespace gradus::speech
