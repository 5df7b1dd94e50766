#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>

/// Writes a WAV file with a tone whose phase advances by `pitch` radians per sample.
inline std::filesystem::path write_tone(const std::filesystem::path& path, std::uint32_t samples,
                                        std::uint16_t channels = 1, std::uint32_t rate = 16000,
                                        double pitch = 0.2) {
  std::ofstream out(path, std::ios::binary);
  const auto write = [&out](auto... numbers) {
    (out.write(reinterpret_cast<const char*>(&numbers), sizeof numbers), ...);
  };
  out << "RIFF";
  write(36 + 2 * samples);
  out << "WAVEfmt ";
  write(std::uint32_t{16}, std::uint16_t{1}, channels, rate, 2 * channels * rate,
        static_cast<std::uint16_t>(2 * channels), std::uint16_t{16});
  out << "data";
  write(2 * samples);
  for (std::uint32_t n = 0; n < samples; ++n) write(static_cast<std::int16_t>(9000 * std::sin(pitch * n)));
  return path;
}
