#pragma once

#include <gradus/autograd/random.hpp>
#include <gradus/data/batch.hpp>
#include <gradus/speech/frames.hpp>

#include <cstdint>
#include <vector>

#pragma GCC visibility push(default)
/// Speech at other speeds, to train a model on more speeds than were recorded (speed perturbation, Ko et al.
/// 2015, "Audio augmentation for speech recognition"). Ko et al. resample the sound, which also changes its
/// pitch. These functions instead leave out frames, or repeat frames.
namespace gradus::speech {

constexpr double slowest_speed = 0.1, fastest_speed = 10;  ///< the limits of every speed

/// The indices of the frames that are heard if T = `frames` frames are played at `speed` times their own
/// speed. There are T' = max(1, round(T / speed)) indices. Index i is ⌊(i + ½) T / T'⌋.
/// @throws Error if T < 1, or the speed is not from slowest_speed to fastest_speed.
std::vector<std::int64_t> frames_at_speed(std::int64_t frames, double speed);

/// The utterance at another speed. If none of a token's frames is left, the token's `begin` and `end` are
/// equal.
/// @throws Error as frames_at_speed() does, or if the utterance's frames are not (T, D) in f32.
Utterance at_speed(const Utterance& utterance, double speed);

struct SpeedRange {
  double min = 1, max = 1;  ///< slowest_speed ≤ min ≤ max ≤ fastest_speed

  bool varies() const { return min < max; }
};

/// Plays each source of the batch at a speed of its own, drawn uniformly from the range. Each source token
/// stands for a frame.
/// @throws Error unless slowest_speed ≤ min ≤ max ≤ fastest_speed.
data::Batch at_random_speeds(const data::Batch& batch, const SpeedRange& range, Generator& generator);

}  // namespace gradus::speech
#pragma GCC visibility pop
