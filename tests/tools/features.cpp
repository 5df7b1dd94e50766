// `gradus features`: log-mel features of a WAV file.

#include <gradus/nn/npy.hpp>

#include <cmath>
#include <cstring>
#include <fstream>

#include "tools/run.hpp"

namespace fs = std::filesystem;

namespace {

// Writes a WAV file of a tone with 16000 samples per second.
fs::path write_tone(const fs::path& path, std::uint32_t samples, std::uint16_t channels = 1) {
  std::ofstream out(path, std::ios::binary);
  const auto write = [&out](auto... numbers) {
    (out.write(reinterpret_cast<const char*>(&numbers), sizeof numbers), ...);
  };
  out << "RIFF";
  write(36 + 2 * samples);
  out << "WAVEfmt ";
  write(std::uint32_t{16}, std::uint16_t{1}, channels, std::uint32_t{16000}, std::uint32_t{32000},
        static_cast<std::uint16_t>(2 * channels), std::uint16_t{16});
  out << "data";
  write(2 * samples);
  for (std::uint32_t n = 0; n < samples; ++n) write(static_cast<std::int16_t>(9000 * std::sin(0.2 * n)));
  return path;
}

}  // namespace

TEST_CASE("features of a WAV file are written as .npy", "[tools][features]") {
  const Scratch scratch;
  const std::string wav = write_tone(scratch.path() / "tone.wav", 8000).string(),
                    npy = (scratch.path() / "tone.npy").string();
  const Ran ran = run({"features", "--wav", wav, "--out", npy});
  CHECK(ran.err == "");
  CHECK(ran.code == 0);
  CHECK(ran.out == npy + ": 48 frames of 40 bands, from 0.5 s of sound\n");
  CHECK(gradus::nn::load_npy(npy).shape() == gradus::Shape{48, 40});
  CHECK(run({"features", "--wav", wav, "--out", npy, "--bands", "12"}).code == 0);
  CHECK(gradus::nn::load_npy(npy).shape() == gradus::Shape{48, 12});
}

TEST_CASE("features of bad sound are refused in one line", "[tools][features]") {
  const Scratch scratch;
  const std::string npy = (scratch.path() / "tone.npy").string();
  const auto refused = [&](const fs::path& wav, const std::string& bands = "40") {
    const Ran ran = run({"features", "--wav", wav.string(), "--out", npy, "--bands", bands});
    CHECK_FALSE(fs::exists(npy));
    CHECK(ran.code == (bands == "40" ? 1 : 2));
    return ran.err;
  };
  const fs::path stereo = write_tone(scratch.path() / "stereo.wav", 8000, 2);
  CHECK(refused(stereo) == "gradus features: '" + stereo.string() +
                               "' has 2 channels, and must have 1; convert it, for example with: sox IN.wav "
                               "-c 1 -b 16 -r 16000 OUT.wav\n");
  CHECK(refused(write_tone(scratch.path() / "click.wav", 100)) ==
        "gradus features: the sound has 100 samples, less than one window of 400; give a longer "
        "recording\n");
  CHECK(refused(write_tone(scratch.path() / "tone.wav", 8000), "0") ==
        "gradus features: --bands: expected a whole number from 1 to 1000, found 0; 'gradus features --help' "
        "lists the options\n");
}
