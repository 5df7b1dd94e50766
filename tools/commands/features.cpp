#include <gradus/nn/npy.hpp>
#include <gradus/speech/log_mel.hpp>
#include <gradus/speech/wav.hpp>

#include <CLI/CLI.hpp>
#include <array>
#include <iostream>

#include "commands/run_command.hpp"
#include "files/frames.hpp"
#include "files/output_file.hpp"
#include "settings/printable.hpp"
#include "settings/ranges.hpp"

namespace gradus::tools {
namespace {

namespace fs = std::filesystem;

struct Options {
  fs::path wav, out;
  std::int64_t bands = speech::LogMelOptions{}.bands;
};

int run(const Options& options) {
  check_output("out", options.out, std::array{options.wav});
  const speech::Sound sound = speech::read_wav(options.wav);
  const Tensor features = log_mel_of(options.wav, sound, {.bands = options.bands});
  nn::save_npy(options.out, features);
  const double seconds = static_cast<double>(sound.samples.size()) / static_cast<double>(sound.rate);
  std::cout << printable(options.out.string()) << ": " << features.size(0) << " frames of "
            << features.size(1) << " bands, from " << seconds << " s of sound\n";
  return 0;
}

}  // namespace

int features(int argc, char** argv, const models::Registry& /*registry*/) {
  CLI::App app(
      "Computes the frames that a model listens to: log-mel features of a WAV file.\n\n"
      "  gradus features --wav speech.wav --out speech.npy\n"
      "      writes an array (frames, bands) in f32, for numpy.load: the loudness of each band of pitch\n"
      "      in windows of 25 ms, one every 10 ms\n\n"
      "The file must be 16-bit PCM with one channel, 8000 to 48000 samples per second, at most an hour.",
      "gradus features");
  Options options;
  app.add_option("--wav", options.wav, "WAV file to read")->type_name("FILE")->required();
  app.add_option("--out", options.out, ".npy file to write")
      ->type_name("FILE")
      ->check(no_standard_output("but features are binary"))
      ->required();
  app.add_option("--bands", options.bands, "number of bands")
      ->capture_default_str()
      ->transform(between(1, 1000));
  return run_command(app, argc, argv, [&] { return run(options); });
}

}  // namespace gradus::tools
