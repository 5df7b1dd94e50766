#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::speech {

/// Recorded sound, one channel.
struct Sound {
  std::vector<float> samples;  ///< in [−1, 1)
  std::int64_t rate;           ///< samples per second
};

/// Reads a WAV file of 16-bit PCM: one channel, 8000 to 48000 samples per second, at most an hour long.
/// Chunks other than `fmt ` and `data` are skipped. A damaged header cannot cause a large allocation: memory
/// is allocated only for samples that the file holds.
/// @throws Error with the path, the fault and what to do: for a file that cannot be read, is not WAV, was cut
/// short, has another format or rate, is too long, has no sample, or has only zeros.
Sound read_wav(const std::filesystem::path& path);

/// Writes a WAV file that read_wav() reads. Samples outside [−1, 1) are clipped. The file appears only when
/// it is complete.
/// @throws Error with the path if the file cannot be written, if a sample is NaN, or if read_wav() would
/// refuse the sound. One exception: silence is written, although read_wav() refuses it.
void write_wav(const std::filesystem::path& path, const Sound& sound);

}  // namespace gradus::speech
#pragma GCC visibility pop
