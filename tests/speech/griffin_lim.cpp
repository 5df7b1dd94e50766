// Sound from magnitudes: compares the results with those of NumPy, and checks the properties that Griffin and
// Lim prove.

#include <gradus/speech/griffin_lim.hpp>

#include <cmath>
#include <limits>
#include <numbers>

#include "golden.hpp"
#include "nn/helpers.hpp"
#include "speech/sound/spectrum.hpp"

namespace speech = gradus::speech;
using gradus::Generator;
using gradus::Shape;
using gradus::Tensor;

namespace {

// A rising tone with a little noise. The first and the last 10 ms are silent.
speech::Sound siren(std::int64_t samples, std::int64_t rate = 16000) {
  speech::Sound sound{{}, rate};
  Generator generator(1);
  for (std::int64_t n = 0; n < samples; ++n) {
    const double t = static_cast<double>(n) / static_cast<double>(rate);
    const bool is_silent = 100 * n < rate || 100 * (samples - n) < rate;
    const double noise = 0.01 * generator.normal();
    const double wave = 0.4 * std::sin(2 * std::numbers::pi * (300 + 2000 * t) * t) + noise;
    sound.samples.push_back(is_silent ? 0.0F : static_cast<float>(wave));
  }
  return sound;
}

// The signal-to-noise ratio in decibels. The signal is `sound`; the noise is the difference between the two
// sounds.
double signal_to_noise(const speech::Sound& sound, const speech::Sound& other) {
  REQUIRE(sound.samples.size() == other.samples.size());
  double signal = 0, noise = 0;
  for (std::size_t n = 0; n < sound.samples.size(); ++n) {
    signal += std::pow(sound.samples[n], 2);
    noise += std::pow(sound.samples[n] - other.samples[n], 2);
  }
  return 10 * std::log10(signal / noise);
}

speech::Sound sound_of(const Tensor& samples, std::int64_t rate) {
  speech::Sound sound{{}, rate};
  for (const double sample : samples.to_vector<double>()) sound.samples.push_back(static_cast<float>(sample));
  return sound;
}

Tensor of(const std::vector<double>& values) { return gradus::tensor(values); }

}  // namespace

TEST_CASE("magnitudes and Griffin-Lim match NumPy", "[speech][golden]") {
  const Golden golden("griffin_lim");
  const speech::LogMelOptions options{.window = 0.02, .step = 0.0075, .bands = 12};
  const speech::Sound sound = sound_of(golden["sound"], 8000);
  CHECK(mismatch(magnitudes(sound, options), golden["magnitudes"], {1e-9, 1e-9}) == "");

  const speech::Reconstruction from_noise =
      speech::griffin_lim(golden["magnitudes"], sound_of(golden["start"], 8000), 3, options);
  CHECK(mismatch(of(from_noise.distances), golden["distances"].reshape({4}), {1e-9, 1e-9}) == "");
  const std::vector<double> samples(from_noise.sound.samples.begin(), from_noise.sound.samples.end());
  CHECK(mismatch(of(samples), golden["result"].reshape({std::ssize(samples)}), {1e-6, 1e-6}) == "");

  CHECK(mismatch(speech::magnitudes_of(golden["features"], 8000, options), golden["from_features"],
                 {1e-8, 1e-8}) == "");
}

TEST_CASE("a sound is the fixed point of Griffin-Lim with its magnitudes", "[speech]") {
  for (const int rate : {8000, 16000, 22050}) {
    const speech::Sound sound = siren(std::lround(0.025 * rate) + 40 * std::lround(0.010 * rate), rate);
    const Tensor A = magnitudes(sound);
    REQUIRE(A.size(0) == 41);
    const speech::Reconstruction same = speech::griffin_lim(A, sound, 2);
    CHECK(signal_to_noise(sound, same.sound) > 120);
    for (const double distance : same.distances) CHECK(distance < 1e-6);
  }
}

TEST_CASE("the distance of Griffin-Lim never grows", "[speech]") {
  const speech::Sound sound = siren(400 + 60 * 160);
  Generator generator(3);
  for (const speech::LogMelOptions& options :
       {speech::LogMelOptions{}, speech::LogMelOptions{.window = 0.02, .step = 0.02},
        speech::LogMelOptions{.window = 0.0201, .step = 0.025}}) {
    const Tensor A = magnitudes(sound, options);
    const speech::Reconstruction result = speech::griffin_lim(A, sound.rate, 30, generator, options);
    REQUIRE(result.distances.size() == 31);
    for (std::size_t i = 1; i < result.distances.size(); ++i) {
      CHECK(result.distances[i] <= result.distances[i - 1] * (1 + 1e-12));
    }
    CHECK(result.distances.back() < 0.5 * result.distances.front());
  }
}

TEST_CASE("sound longer than a block of windows has no seam", "[speech]") {
  const speech::Sound sound = siren(400 + 1100 * 160);
  const Tensor A = magnitudes(sound);
  REQUIRE(A.size(0) == 1101);
  CHECK(signal_to_noise(sound, speech::griffin_lim(A, sound, 1).sound) > 120);
}

TEST_CASE("magnitudes from features have these features", "[speech]") {
  const std::int64_t rate = 16000;
  const Tensor features = log_mel(siren(400 + 20 * 160));
  const Tensor A = speech::magnitudes_of(features, rate);
  CHECK(A.shape() == Shape{21, 257});
  CHECK(min(A).item() >= 0);
  // `flat` has similar power in all bands. So the pseudo-inverse gives no negative power, which
  // magnitudes_of() would replace by 0. The result then has exactly the features `flat`.
  const speech::LogMelOptions few{.bands = 8};
  const Tensor flat = gradus::tensor({{1, 1.2, 1.4, 1.6, 1.8, 2, 2.2, 2.4}});
  const speech::Framing shape = speech::framing("test", few, rate);
  const Tensor squares = speech::magnitudes_of(flat, rate, few) * speech::magnitudes_of(flat, rate, few);
  CHECK(min(squares).item() >= 0);
  CHECK(mismatch(log(matmul(squares, speech::filters("test", 8, shape, rate))), flat, {1e-6, 0}) == "");
}

TEST_CASE("the sound of features has nearly these features", "[speech]") {
  Generator generator(5);
  speech::Sound hiss{{}, 16000};
  for (int n = 0; n < 400 + 60 * 160; ++n) {
    const double loudness = 0.1 + 0.08 * std::sin(2 * std::numbers::pi * n / 3000);
    hiss.samples.push_back(static_cast<float>(loudness * generator.normal()));
  }
  const Tensor features = log_mel(hiss);
  const speech::Reconstruction heard =
      speech::griffin_lim(speech::magnitudes_of(features, hiss.rate), hiss.rate, 60, generator);
  const Tensor off = (log_mel(heard.sound) - features).slice(1, 60);  // the ends are silent
  CHECK(std::sqrt(mean(off * off).item()) < 0.3);
  CHECK(std::sqrt(variance(features).item()) > 0.8);
}

TEST_CASE("silence stays silent", "[speech]") {
  const speech::Sound silence{std::vector<float>(720), 16000};
  const speech::Reconstruction result = speech::griffin_lim(magnitudes(silence), silence, 2);
  CHECK(result.sound.samples == silence.samples);
  CHECK(result.distances == std::vector<double>{0, 0, 0});
}

TEST_CASE("Griffin-Lim refuses what does not fit", "[speech]") {
  const speech::Sound sound = siren(720);
  const Tensor A = magnitudes(sound);
  CHECK_ERROR(speech::griffin_lim(A, siren(719), 1),
              "griffin_lim: the start has 719 samples, and 3 windows need 720");
  CHECK_ERROR(
      speech::griffin_lim(A, siren(720, 44100), 1),
      "griffin_lim: the magnitudes are (3, 257) and must be (T, 1025) at this rate and window, with T of "
      "at least 1");
  CHECK_ERROR(speech::griffin_lim(A, sound, -1),
              "griffin_lim: the number of iterations must be at least 0, and is -1");
  CHECK_ERROR(speech::griffin_lim(-A, sound, 1), "griffin_lim: a magnitude is negative or not finite");
  CHECK_ERROR(speech::griffin_lim(A, sound, 1, {.window = 2}),
              "griffin_lim: the window must be from 1 sample to 1 s, and is 2 s at 16000 samples per second");
  CHECK_ERROR(magnitudes(siren(399)),
              "magnitudes: the sound has 399 samples, less than one window of 400; give a longer recording");
  CHECK_ERROR(speech::magnitudes_of(gradus::zeros({3, 39}), 16000),
              "magnitudes_of: the features are (3, 39) and must be (T, 40), with T of at least 1");
  CHECK_ERROR(speech::magnitudes_of(gradus::full({3, 40}, 1000), 16000),
              "magnitudes_of: the exponential of a feature is not finite");
  CHECK_ERROR(
      speech::magnitudes_of(gradus::zeros({3, 200}), 16000, {.bands = 200}),
      "magnitudes_of: band 1 of 200 lies between two frequencies of a window of 512 samples; use fewer "
      "bands or a longer window");
}
