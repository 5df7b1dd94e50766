#include <gradus/error.hpp>
#include <gradus/files/atomic.hpp>
#include <gradus/files/input.hpp>
#include <gradus/message.hpp>
#include <gradus/speech/wav.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace gradus::speech {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are copied byte for byte from the file");

constexpr std::int64_t lowest_rate = 8000, highest_rate = 48000, longest_seconds = 3600;
constexpr std::string_view remedy = "; convert it, for example with: sox IN.wav -c 1 -b 16 -r 16000 OUT.wav";

template <class... Parts>
[[noreturn]] void refuse(const files::Input& in, const Parts&... parts) {
  throw Error(message("read_wav: '", in.path().string(), "' ", parts...));
}

template <class Number>
Number read(files::Input& in) {
  Number number{};
  if (sizeof(number) > in.left()) {
    refuse(in, "ends within its header; it was cut short, so copy or record it again");
  }
  in.read(&number, sizeof(number));
  return number;
}

using Tag = std::array<char, 4>;

std::string_view text(const Tag& tag) { return {tag.data(), tag.size()}; }

struct Chunk {
  Tag tag;
  std::uint32_t bytes;
};

Chunk next_chunk(files::Input& in) {
  if (in.left() == 0) refuse(in, "has no samples (no data chunk); record it again");
  const Tag tag = read<Tag>(in);
  const auto bytes = read<std::uint32_t>(in);
  if (bytes > in.left()) {
    refuse(in, "was cut short: its header promises ", bytes, " bytes of '", text(tag), "', and ", in.left(),
           " follow; copy or record it again");
  }
  return {tag, bytes};
}

void skip(files::Input& in, std::uint64_t bytes) {
  std::array<char, 4096> unread{};
  while (bytes > 0) {
    const std::uint64_t some = std::min<std::uint64_t>(bytes, unread.size());
    in.read(unread.data(), some);
    bytes -= some;
  }
}

// Chunks begin at even offsets. After a last chunk of odd size, the padding byte may be missing.
void skip_padding(files::Input& in, std::uint32_t bytes) {
  skip(in, std::min<std::uint64_t>(bytes % 2, in.left()));
}

void check_start(files::Input& in) {
  constexpr std::uint64_t least = 12;
  const bool fits = in.left() >= least && text(read<Tag>(in)) == "RIFF";
  if (fits) {
    read<std::uint32_t>(in);  // the size of the file, which some programs do not set
    if (text(read<Tag>(in)) == "WAVE") return;
  }
  refuse(in, "is not a WAV file", remedy);
}

// Reads the format, and returns the rate.
std::int64_t read_format(files::Input& in, std::uint32_t bytes) {
  constexpr std::uint32_t least = 16;
  constexpr std::uint16_t pcm = 1, extensible = 0xFFFE;
  if (bytes < least)
    refuse(in, "has a format chunk of ", bytes, " bytes, and at least ", least, " are needed", remedy);
  const auto format = read<std::uint16_t>(in);
  const auto channels = read<std::uint16_t>(in);
  const auto rate = read<std::uint32_t>(in);
  read<std::uint32_t>(in);  // bytes per second, redundant with the other fields
  const auto bytes_per_frame = read<std::uint16_t>(in), bits = read<std::uint16_t>(in);
  skip(in, bytes - least);
  if (channels != 1) refuse(in, "has ", channels, " channels, and must have 1", remedy);
  if (bits != 16) refuse(in, "has samples of ", bits, " bits, and must have 16", remedy);
  if (format != pcm && format != extensible) {
    refuse(in, "is coded in format ", format, ", and must be PCM (1)", remedy);
  }
  if (bytes_per_frame != 2)
    refuse(in, "states ", bytes_per_frame, " bytes per sample, and must have 2", remedy);
  if (rate < lowest_rate || rate > highest_rate) {
    refuse(in, "has ", rate, " samples per second, and must have ", lowest_rate, " to ", highest_rate,
           remedy);
  }
  return rate;
}

template <class Number>
void append(std::string& bytes, Number number) {
  const auto raw = std::bit_cast<std::array<char, sizeof(Number)>>(number);
  bytes.append(raw.data(), raw.size());
}

std::int16_t as_integer(float sample) {
  constexpr float full = 32768;
  constexpr std::numeric_limits<std::int16_t> limits;
  return static_cast<std::int16_t>(
      std::lround(std::clamp(sample * full, float{limits.min()}, float{limits.max()})));
}

std::vector<float> read_samples(files::Input& in, std::uint32_t bytes, std::int64_t rate) {
  if (bytes % 2 != 0) refuse(in, "ends within a sample; it was cut short, so copy or record it again");
  if (bytes == 0) refuse(in, "has no samples; record it again");
  const std::int64_t count = bytes / 2;
  if (count > longest_seconds * rate) {
    refuse(in, "lasts ", count / rate, " s, and at most ", longest_seconds, " s are read; cut it into parts");
  }
  std::vector<std::int16_t> integers(static_cast<std::size_t>(count));
  in.read(integers.data(), bytes);
  if (std::ranges::all_of(integers, [](std::int16_t sample) { return sample == 0; })) {
    refuse(in, "holds only silence: all ", count, " samples are 0; check the microphone and record it again");
  }
  constexpr float full = 32768;
  std::vector<float> samples(integers.size());
  std::ranges::transform(integers, samples.begin(),
                         [](std::int16_t sample) { return static_cast<float>(sample) / full; });
  return samples;
}

}  // namespace

Sound read_wav(const std::filesystem::path& path) {
  files::Input in("read_wav", path, "WAV file");
  check_start(in);
  std::optional<std::int64_t> rate;
  while (true) {
    const Chunk chunk = next_chunk(in);
    if (text(chunk.tag) == "data") {
      if (!rate) refuse(in, "has samples before their format; it is damaged", remedy);
      return {read_samples(in, chunk.bytes, *rate), *rate};
    }
    if (text(chunk.tag) == "fmt ") {
      rate = read_format(in, chunk.bytes);
    } else {
      skip(in, chunk.bytes);
    }
    skip_padding(in, chunk.bytes);
  }
}

void write_wav(const std::filesystem::path& path, const Sound& sound) {
  constexpr std::uint32_t header = 36, format_bytes = 16;
  constexpr std::uint16_t pcm = 1, channels = 1, bytes_per_sample = 2, bits = 16;
  const auto samples = std::ssize(sound.samples);
  if (sound.rate < lowest_rate || sound.rate > highest_rate || samples < 1 ||
      samples > longest_seconds * sound.rate) {
    throw Error(message("write_wav: '", path.string(), "' needs 1 sample to ", longest_seconds, " s at ",
                        lowest_rate, " to ", highest_rate, " samples per second, and the sound has ", samples,
                        " samples at ", sound.rate));
  }
  if (std::ranges::any_of(sound.samples, [](float sample) { return std::isnan(sample); })) {
    throw Error(message("write_wav: '", path.string(), "': a sample is not a number"));
  }
  const auto rate = static_cast<std::uint32_t>(sound.rate);
  const auto size = static_cast<std::uint32_t>(samples) * bytes_per_sample;
  std::string bytes = "RIFF";
  append(bytes, header + size);
  bytes += "WAVEfmt ";
  append(bytes, format_bytes);
  append(bytes, pcm);
  append(bytes, channels);
  append(bytes, rate);
  append(bytes, rate * bytes_per_sample);
  append(bytes, bytes_per_sample);
  append(bytes, bits);
  bytes += "data";
  append(bytes, size);
  for (const float sample : sound.samples) append(bytes, as_integer(sample));
  files::write_atomically("write_wav", path, bytes);
}

}  // namespace gradus::speech
