// Log-mel features: compared with NumPy's, and edge cases.

#include <gradus/speech/log_mel.hpp>

#include <cmath>
#include <numbers>

#include "golden.hpp"
#include "nn/helpers.hpp"

namespace speech = gradus::speech;
using gradus::Shape;
using gradus::Tensor;

namespace {

speech::Sound sound_of(const Tensor& pcm, std::int64_t rate) {
  speech::Sound sound{{}, rate};
  for (const double sample : pcm.to_vector<double>())
    sound.samples.push_back(static_cast<float>(sample / 32768));
  return sound;
}

speech::Sound tone(double hertz, std::int64_t samples = 1600, std::int64_t rate = 16000) {
  speech::Sound sound{{}, rate};
  for (std::int64_t n = 0; n < samples; ++n) {
    const double turns = hertz * static_cast<double>(n) / static_cast<double>(rate);
    sound.samples.push_back(static_cast<float>(0.5 * std::sin(2 * std::numbers::pi * turns)));
  }
  return sound;
}

// The band with the most energy for a tone of this frequency.
std::int64_t loudest(double hertz) {
  return static_cast<std::int64_t>(argmax(mean(log_mel(tone(hertz)), 0)).item());
}

}  // namespace

TEST_CASE("log-mel features match NumPy", "[speech][golden]") {
  const Golden golden("log_mel");
  const Tensor usual = log_mel(sound_of(golden["usual.pcm"], 16000));
  CHECK(usual.dtype() == gradus::Dtype::f32);
  CHECK(mismatch(usual, golden["usual.features"], {1e-4, 0}) == "");
  const Tensor other =
      log_mel(sound_of(golden["other.pcm"], 8000), {.window = 0.02, .step = 0.0125, .bands = 12});
  CHECK(mismatch(other, golden["other.features"], {1e-4, 0}) == "");
}

TEST_CASE("log-mel features count whole windows", "[speech]") {
  CHECK(log_mel(tone(440, 400)).shape() == Shape{1, 40});
  CHECK(log_mel(tone(440, 559)).shape() == Shape{1, 40});
  CHECK(log_mel(tone(440, 560)).shape() == Shape{2, 40});
  const speech::Sound longer = tone(440, 400 + 1500 * 160);  // is computed in several parts
  const Tensor features = log_mel(longer);
  REQUIRE(features.shape() == Shape{1501, 40});
  speech::Sound end{{longer.samples.end() - 400, longer.samples.end()}, longer.rate};
  CHECK(mismatch(features[1500], log_mel(end)[0], {1e-6, 0}) == "");
}

TEST_CASE("a higher tone is loudest in a higher band, and twice the sound adds ln 4", "[speech]") {
  CHECK(loudest(200) < loudest(400));
  CHECK(loudest(400) < loudest(3000));
  speech::Sound quiet = tone(440), loud = tone(440);
  for (float& sample : quiet.samples) sample /= 2;
  const Tensor difference = log_mel(loud) - log_mel(quiet);
  const auto band = static_cast<std::int64_t>(argmax(mean(log_mel(loud), 0)).item());
  CHECK(difference[0][band].item() == Catch::Approx(std::log(4)).epsilon(1e-4));
}

TEST_CASE("silence has the smallest features", "[speech]") {
  const speech::Sound silence{std::vector<float>(800), 16000};
  CHECK(mismatch(log_mel(silence), gradus::full({3, 40}, std::log(1e-10)), {1e-5, 0}) == "");
}

TEST_CASE("log-mel features refuse sound and options that do not fit", "[speech]") {
  CHECK_ERROR(log_mel(tone(440, 399)),
              "log_mel: the sound has 399 samples, less than one window of 400; give a longer recording");
  CHECK_ERROR(log_mel(tone(440), {.window = 0}),
              "log_mel: the window must be from 1 sample to 1 s, and is 0 s at 16000 samples per second");
  CHECK_ERROR(log_mel(tone(440), {.step = 2}),
              "log_mel: the step must be from 1 sample to 1 s, and is 2 s at 16000 samples per second");
  CHECK_ERROR(log_mel(tone(440), {.bands = 0}),
              "log_mel: the number of bands must be from 1 to 1000, and is 0");
  CHECK_ERROR(log_mel(tone(440), {.bands = 200}),
              "log_mel: band 1 of 200 lies between two frequencies of a window of 512 samples; use fewer "
              "bands or a longer window");
}
