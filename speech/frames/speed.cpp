#include <gradus/autograd/scope.hpp>
#include <gradus/data/tokens.hpp>
#include <gradus/speech/speed.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace gradus::speech {

std::vector<std::int64_t> frames_at_speed(std::int64_t frames, double speed) {
  if (frames < 1) fail("frames_at_speed", "there must be at least one frame, and there are ", frames);
  if (!(slowest_speed <= speed && speed <= fastest_speed)) {
    fail("frames_at_speed", "the speed must be from ", slowest_speed, " to ", fastest_speed, ", and is ",
         speed);
  }
  const std::int64_t heard = std::max<std::int64_t>(1, std::llround(static_cast<double>(frames) / speed));
  std::vector<std::int64_t> indices;
  for (std::int64_t i = 0; i < heard; ++i) indices.push_back((2 * i + 1) * frames / (2 * heard));
  return indices;
}

Utterance at_speed(const Utterance& utterance, double speed) {
  const Tensor& frames = utterance.frames;
  if (!frames.defined() || frames.rank() != 2 || frames.dtype() != Dtype::f32) {
    fail("at_speed", "the frames must be (T, D) in f32");
  }
  const std::vector<std::int64_t> indices = frames_at_speed(frames.size(0), speed);
  const auto D = static_cast<std::size_t>(frames.size(1));
  const auto from = frames.values<float>();
  std::vector<float> heard;
  for (const std::int64_t t : indices) {
    const auto frame = from.subspan(static_cast<std::size_t>(t) * D, D);
    heard.insert(heard.end(), frame.begin(), frame.end());
  }
  Utterance result{.frames = tensor(heard, {std::ssize(indices), frames.size(1)}),
                   .target = utterance.target};
  const auto first_from = [&](std::int64_t t) {
    return std::ranges::lower_bound(indices, t) - indices.begin();
  };
  for (const std::int64_t t : utterance.begin) result.begin.push_back(first_from(t));
  for (const std::int64_t t : utterance.end) result.end.push_back(first_from(t));
  return result;
}

data::Batch at_random_speeds(const data::Batch& batch, const SpeedRange& range, Generator& generator) {
  if (!(slowest_speed <= range.min && range.min <= range.max && range.max <= fastest_speed)) {
    fail("at_random_speeds", "needs ", slowest_speed, " ≤ min ≤ max ≤ ", fastest_speed, ", and got min ",
         range.min, " and max ", range.max);
  }
  std::vector<std::vector<std::int64_t>> indices;  // of each sequence
  data::Batch result = batch;
  result.source_steps = 0;
  for (std::size_t b = 0; b < batch.source_lengths.size(); ++b) {
    const double speed = range.min + (range.max - range.min) * generator.uniform();
    indices.push_back(frames_at_speed(batch.source_lengths[b], speed));
    result.source_lengths[b] = std::ssize(indices.back());
    result.source_steps = std::max(result.source_steps, result.source_lengths[b]);
  }
  const auto B = static_cast<std::size_t>(batch.size);
  result.source.assign(static_cast<std::size_t>(result.source_steps) * B, data::pad);
  for (std::size_t b = 0; b < B; ++b) {
    for (std::size_t i = 0; i < indices[b].size(); ++i) {
      result.source[i * B + b] = batch.source[static_cast<std::size_t>(indices[b][i]) * B + b];
    }
  }
  return result;
}

}  // namespace gradus::speech
