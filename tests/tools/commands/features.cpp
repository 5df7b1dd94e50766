// `gradus features`: log-mel features of a WAV file.

#include <gradus/nn/npy.hpp>

#include "tools/run.hpp"
#include "tools/tone.hpp"

namespace fs = std::filesystem;

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
        "gradus features: '" + (scratch.path() / "click.wav").string() +
            "': the sound has 100 samples, less than one window of 400; give a longer "
            "recording\n");
  CHECK(refused(write_tone(scratch.path() / "tone.wav", 8000), "0") ==
        "gradus features: --bands: expected a whole number from 1 to 1000, found 0; 'gradus features --help' "
        "lists the options\n");
}
