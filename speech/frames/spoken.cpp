#include <gradus/autograd/scope.hpp>
#include <gradus/speech/speed.hpp>
#include <gradus/speech/spoken.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace gradus::speech {
namespace {

template <class Number>
void check(const char* what, Number value, Number low, Number high) {
  if (value >= low && value <= high) return;
  fail("Spoken", what, " must be from ", low, " to ", high, ", and is ", value);
}

// An utterance as consecutive stretches: sounds and silence.
struct Script {
  std::vector<const float*> sounds{};  // one per stretch; null for silence
  std::vector<double> begins{0};       // in frames: where each stretch begins, then where the last one ends

  void add(const float* sound, double frames) {
    sounds.push_back(sound);
    begins.push_back(begins.back() + frames);
  }
  std::int64_t stretches() const { return std::ssize(sounds); }
};

double between(double low, double high, Generator& generator) {
  return low + (high - low) * generator.uniform();
}

std::int64_t frame_at(double time) { return static_cast<std::int64_t>(std::lround(time)); }

// The weight of stretch i at time t: 1 inside the stretch, 0 outside. Each crossfade is linear and centred on
// a boundary between stretches.
double weight_at(double t, const Script& script, std::size_t i, double crossfade) {
  const auto past = [&](double moment) { return std::clamp((t - moment) / crossfade + 0.5, 0.0, 1.0); };
  const double entered = i == 0 ? 1 : past(script.begins[i]);
  const double left = i + 1 == script.sounds.size() ? 0 : past(script.begins[i + 1]);
  return entered - left;
}

// The frames (T, D) of a script, without noise.
Tensor frames_of(const Script& script, std::int64_t T, std::int64_t D, double crossfade, double loudness) {
  Tensor result = zeros({T, D});
  const std::span<float> frames = result.mutable_values<float>("Spoken");
  for (std::int64_t t = 0; t < T; ++t) {
    const std::span<float> frame =
        frames.subspan(static_cast<std::size_t>(t * D), static_cast<std::size_t>(D));
    for (std::size_t i = 0; i < script.sounds.size(); ++i) {
      const double weight = weight_at(static_cast<double>(t) + 0.5, script, i, crossfade);
      if (weight == 0 || script.sounds[i] == nullptr) continue;
      for (std::size_t d = 0; d < frame.size(); ++d) {
        frame[d] += static_cast<float>(loudness * weight * script.sounds[i][d]);
      }
    }
  }
  return result;
}

}  // namespace

Spoken::Spoken(const SpokenOptions& options) : options_(options) {
  constexpr std::int64_t most = 1000, most_sounds = 100;
  constexpr double longest = 1000;
  check("the number of symbols", options.symbols, std::int64_t{2}, most);
  check("the size of a frame", options.size, std::int64_t{1}, most);
  check("the number of sounds per symbol", options.sounds, std::int64_t{1}, most_sounds);
  check("the shortest sound", options.shortest, 1.0, longest);
  check("the longest sound", options.longest, options.shortest, longest);
  check("the crossfade", options.crossfade, 0.0, options.shortest);
  check("the probability of silence", options.silence, 0.0, 1.0);
  check("the longest silence", options.longest_silence, 0.0, longest);
  check("the noise", options.noise, 0.0, longest);
  Generator generator(options.voice);
  sounds_.resize(static_cast<std::size_t>(options.symbols * options.sounds * options.size));
  for (float& number : sounds_) number = static_cast<float>(generator.normal());
}

Utterance Spoken::say(std::span<const std::int64_t> symbols, double speed, Generator& generator) const {
  return say(symbols, [speed] { return speed; }, generator);
}

Utterance Spoken::say(std::span<const std::int64_t> symbols, const std::function<double()>& next_speed,
                      Generator& generator) const {
  constexpr double quietest = 0.8, loudest = 1.25, sudden = 1e-9;
  const double speed = next_speed();  // of the silences and crossfades
  check("the speed", speed, slowest_speed, fastest_speed);
  if (symbols.empty()) fail("Spoken", "no symbols; give at least one");
  for (const std::int64_t symbol : symbols) check("a symbol", symbol, std::int64_t{0}, options_.symbols - 1);

  Utterance result;
  Script script;
  std::vector<std::int64_t> first;  // first stretch of each symbol
  const auto silence = [&] { script.add(nullptr, between(0, options_.longest_silence, generator) / speed); };
  silence();
  for (const std::int64_t symbol : symbols) {
    if (!first.empty() && generator.uniform() < options_.silence) silence();
    first.push_back(script.stretches());
    const double own = next_speed();
    for (std::int64_t sound = 0; sound < options_.sounds; ++sound) {
      const std::int64_t row = symbol * options_.sounds + sound;
      script.add(&sounds_[static_cast<std::size_t>(row * options_.size)],
                 between(options_.shortest, options_.longest, generator) / own);
    }
    result.target.push_back(data::first_symbol + symbol);
  }
  silence();
  result.target.push_back(data::eos);

  const std::int64_t T = std::max<std::int64_t>(1, frame_at(script.begins.back()));
  for (const std::int64_t stretch : first) {
    result.begin.push_back(std::min(frame_at(script.begins[static_cast<std::size_t>(stretch)]), T - 1));
    const auto next = static_cast<std::size_t>(stretch + options_.sounds);
    result.end.push_back(std::clamp(frame_at(script.begins[next]), result.begin.back() + 1, T));
  }
  const double loudness = between(quietest, loudest, generator);
  result.frames = frames_of(script, T, options_.size, std::max(options_.crossfade / speed, sudden), loudness);
  for (float& number : result.frames.mutable_values<float>("Spoken")) {
    number += static_cast<float>(options_.noise * generator.normal());
  }
  return result;
}

Utterance Spoken::sample(const Range& range, Generator& generator) const {
  constexpr std::int64_t longest = 1000;
  check("the shortest length", range.min_length, std::int64_t{1}, longest);
  check("the longest length", range.max_length, range.min_length, longest);
  check("the lowest speed", range.min_speed, slowest_speed, fastest_speed);
  check("the highest speed", range.max_speed, range.min_speed, fastest_speed);
  std::vector<std::int64_t> symbols(static_cast<std::size_t>(
      range.min_length + static_cast<std::int64_t>(generator.below(
                             static_cast<std::uint64_t>(range.max_length - range.min_length + 1)))));
  for (std::int64_t& symbol : symbols) {
    symbol = static_cast<std::int64_t>(generator.below(static_cast<std::uint64_t>(options_.symbols)));
  }
  const auto speed = [&] { return between(range.min_speed, range.max_speed, generator); };
  return range.uneven ? say(symbols, speed, generator) : say(symbols, speed(), generator);
}

std::int64_t Spoken::vocabulary_size() const { return data::first_symbol + options_.symbols; }

std::string Spoken::text(std::span<const std::int64_t> tokens) {
  std::string all;
  for (const std::int64_t token : tokens) {
    if (token == data::eos) continue;
    if (!all.empty()) all += ' ';
    all += std::to_string(token - data::first_symbol);
  }
  return all;
}

}  // namespace gradus::speech
