#pragma once

#include <gradus/autograd/tensor.hpp>
#include <gradus/speech/log_mel.hpp>
#include <gradus/speech/wav.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gradus::tools {

/// Treats the frames of sound files as tokens. One file is one sentence. Every frame that was read has an id,
/// like a word of a vocabulary. vectors() returns the frames of ids, as an embedding returns the vectors of
/// words.
///
/// Frames are normalised per band, (x − mean) / deviation. Mean and standard deviation are taken over all
/// frames of the training files.
class Frames {
 public:
  /// The properties of a model's training files.
  struct Settings {
    speech::LogMelOptions features = {};  ///< `bands` is the size of a frame
    std::int64_t rate = 0;                ///< samples per second of the WAV files; 0 without WAV files
    std::vector<float> mean = {}, deviation = {};  ///< one per band; empty while training files are read
  };

  /// Reads the training files and computes mean and deviation.
  /// @param bands the size of a frame, for WAV files
  /// @throws Error if read() throws.
  static Frames learn(std::span<const std::string> paths, std::int64_t bands);
  /// Frames for a trained model, before any file is read. The settings are those of the model's training
  /// files.
  explicit Frames(Settings settings) : settings_(std::move(settings)) {}

  /// The settings as JSON, for a checkpoint's metadata.
  std::string to_text() const;
  /// Frames with the settings that to_text() wrote. @param where names the checkpoint in messages
  /// @throws Error if the text is damaged.
  static Frames from_text(const std::string& text, const std::string& where);

  const Settings& settings() const { return settings_; }
  std::int64_t size() const { return settings_.features.bands; }

  /// Returns the ids of a file's frames. Reads each file only once.
  /// @param path a WAV file, or an .npy file (T, bands) written by `gradus features`
  /// @throws Error with the path, the fault and what to do, if the file cannot be read or has another format.
  /// For an .npy file, also for a wrong shape or type, and for a number that is not finite or is too large.
  /// For a WAV file, also if the training files have a different rate or are .npy files. For an .npy training
  /// file, also if the other training files are WAV files.
  std::vector<std::int64_t> read(const std::filesystem::path& path);

  /// Reads a file without keeping its frames. @throws Error if read() would throw.
  void check(const std::filesystem::path& path);

  /// The normalised frames of these ids, (T, B) → (T, B, bands); zeros for padding. Several threads may call
  /// this function at the same time, but not while read() runs.
  Tensor vectors(const Tensor& ids) const;
  /// The power of each frame, summed over all bands: (T, B) → (T, B) in f32; 0 for padding. Threads may call
  /// this function under the same conditions as vectors().
  Tensor power(const Tensor& ids) const;
  /// The frames of these ids without normalisation, (T, bands). No id may be padding.
  Tensor plain(std::span<const std::int64_t> ids) const;

 private:
  struct Place {
    std::int64_t first, count;
  };
  Tensor load(const std::filesystem::path& path);
  Tensor load_wav(const std::filesystem::path& path);

  Settings settings_;
  std::vector<float> values_;  // (frames, bands)
  std::map<std::filesystem::path, Place> places_;
};

/// speech::log_mel() of a file's sound. @throws Error with the path if speech::log_mel() throws.
Tensor log_mel_of(const std::filesystem::path& path, const speech::Sound& sound,
                  const speech::LogMelOptions& options);

/// True for a path that ends in .wav or .npy, in upper or lower case.
bool is_frames_file(const std::filesystem::path& path);

}  // namespace gradus::tools
