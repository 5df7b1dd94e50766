#pragma once

#include <gradus/autograd/random.hpp>
#include <gradus/speech/frames.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::speech {

struct SpokenOptions {
  std::int64_t symbols = 10;          ///< 2 to 1000
  std::int64_t size = 8;              ///< D, the size of a frame, 1 to 1000
  std::int64_t sounds = 2;            ///< per symbol, 1 to 100
  double shortest = 6, longest = 14;  ///< range of a sound's length in frames, at speed 1; 1 to 1000
  double crossfade = 2;               ///< frames of a crossfade between sounds, at speed 1
  double silence = 0.3;               ///< probability of silence between two symbols
  double longest_silence = 12;        ///< maximum length of a silence in frames, at speed 1
  double noise = 0.4;                 ///< standard deviation of the noise in each number
  std::uint64_t voice = 1;            ///< seed of the sounds of the symbols
};

/// Generated speech. Each symbol is a sequence of sounds. Each sound is a vector from N(0, 1), drawn once
/// from the seed `voice`. An utterance repeats each sound for a random number of frames, divided by the
/// speed. Adjoining sounds are crossfaded. Silence, a vector of zeros, comes first and last, and sometimes
/// between symbols. Each utterance is multiplied by a random loudness from 0.8 to 1.25. All frames get
/// Gaussian noise.
///
/// A target does not state how long its symbols last, or where silence is. Two equal symbols in a row differ
/// from one long symbol only because the sounds begin again.
class Spoken {
 public:
  /// @throws Error for an option outside its range.
  explicit Spoken(const SpokenOptions& options = {});

  /// Says the symbols, which are numbers from 0, at a speed from 0.1 to 10.
  /// @throws Error if there are no symbols, if a symbol is unknown, or if the speed is out of range.
  Utterance say(std::span<const std::int64_t> symbols, double speed, Generator& generator) const;

  /// Ranges from which sample() draws.
  struct Range {
    std::int64_t min_length = 1, max_length = 6;  ///< symbols
    double min_speed = 0.5, max_speed = 1;
    bool uneven = false;  ///< draws a speed for each symbol, instead of one for the utterance
  };
  /// Says a random string at a random speed. Length, symbols and speed are uniform in their ranges.
  /// @throws Error if a range is empty, a length is outside [1, 1000], or a speed is outside [0.1, 10].
  Utterance sample(const Range& range, Generator& generator) const;

  std::int64_t vocabulary_size() const;  ///< PAD, BOS and EOS, then the symbols
  /// The symbols of the tokens as text, such as "3 1 4", without EOS.
  static std::string text(std::span<const std::int64_t> tokens);

 private:
  Utterance say(std::span<const std::int64_t> symbols, const std::function<double()>& next_speed,
                Generator& generator) const;

  SpokenOptions options_;
  std::vector<float> sounds_;  // (symbols, sounds, D)
};

}  // namespace gradus::speech
#pragma GCC visibility pop
