// Reading WAV files, good and bad.

#include <gradus/speech/wav.hpp>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "nn/helpers.hpp"
#include "scratch.hpp"

namespace speech = gradus::speech;

namespace {

const std::string remedy = "; convert it, for example with: sox IN.wav -c 1 -b 16 -r 16000 OUT.wav";

template <class Number>
std::string bytes(Number number) {
  std::string raw(sizeof number, '\0');
  std::memcpy(raw.data(), &number, sizeof number);
  return raw;
}

std::string chunk(const std::string& tag, const std::string& content) {
  return tag + bytes(static_cast<std::uint32_t>(content.size())) + content +
         std::string(content.size() % 2, '\0');
}

struct Format {
  std::uint16_t code = 1, channels = 1;
  std::uint32_t rate = 16000;
  std::uint16_t frame = 2, bits = 16;

  std::string text() const {
    return bytes(code) + bytes(channels) + bytes(rate) + bytes(rate * frame) + bytes(frame) + bytes(bits);
  }
};

std::string pcm(std::initializer_list<std::int16_t> samples) {
  std::string all;
  for (const std::int16_t sample : samples) all += bytes(sample);
  return all;
}

std::string riff(const std::string& chunks) {
  return "RIFF" + bytes(static_cast<std::uint32_t>(4 + chunks.size())) + "WAVE" + chunks;
}

std::string wav(const Format& format, const std::string& data) {
  return riff(chunk("fmt ", format.text()) + chunk("data", data));
}

// Reads a file with this content. If that fails, the error calls the file 'sound.wav'.
speech::Sound read(const std::string& content) {
  const Scratch scratch;
  const auto path = scratch.path() / "sound.wav";
  std::ofstream(path, std::ios::binary) << content;
  try {
    return speech::read_wav(path);
  } catch (const gradus::Error& error) {
    std::string text = error.what();
    const std::string folder = scratch.path().string() + "/";
    if (const auto at = text.find(folder); at != std::string::npos) text.erase(at, folder.size());
    throw gradus::Error(text);
  }
}

}  // namespace

TEST_CASE("a WAV file gives its samples and rate", "[speech][wav]") {
  const speech::Sound sound = read(wav({.rate = 22050}, pcm({0, 16384, -32768, 32767})));
  CHECK(sound.rate == 22050);
  CHECK(sound.samples == std::vector<float>{0, 0.5F, -1, 32767.0F / 32768});
}

TEST_CASE("other chunks of a WAV file, and a longer format, are skipped", "[speech][wav]") {
  const std::string more = chunk("LIST", "odd") + chunk("fmt ", Format{}.text() + bytes(std::uint16_t{0})) +
                           chunk("fact", std::string(9999, 'x')) + chunk("data", pcm({1, 2}));
  CHECK(read(riff(more)).samples.size() == 2);
  CHECK(read(riff(more) + chunk("LIST", "after")).samples.size() == 2);
}

TEST_CASE("a bad WAV file is refused in one line", "[speech][wav]") {
  const std::string good = wav({}, pcm({1, 2, 3}));
  CHECK_ERROR(read(""), "read_wav: 'sound.wav' is not a WAV file" + remedy);
  CHECK_ERROR(read("ID3 and then some music"), "read_wav: 'sound.wav' is not a WAV file" + remedy);
  CHECK_ERROR(read("RIFF1234AVI LIST"), "read_wav: 'sound.wav' is not a WAV file" + remedy);
  CHECK_ERROR(read(good.substr(0, 40)),
              "read_wav: 'sound.wav' ends within its header; it was cut short, so copy or record it again");
  CHECK_ERROR(read(good.substr(0, 30)),
              "read_wav: 'sound.wav' was cut short: its header promises 16 bytes of 'fmt ', and 10 follow; "
              "copy or record it again");
  CHECK_ERROR(read(good.substr(0, good.size() - 1)),
              "read_wav: 'sound.wav' was cut short: its header promises 6 bytes of 'data', and 5 follow; "
              "copy or record it again");
  CHECK_ERROR(read(wav({.channels = 2, .frame = 4}, pcm({1, 2}))),
              "read_wav: 'sound.wav' has 2 channels, and must have 1" + remedy);
  CHECK_ERROR(read(wav({.frame = 3, .bits = 24}, "abcdef")),
              "read_wav: 'sound.wav' has samples of 24 bits, and must have 16" + remedy);
  CHECK_ERROR(read(wav({.code = 85}, pcm({1}))),
              "read_wav: 'sound.wav' is coded in format 85, and must be PCM (1)" + remedy);
  CHECK_ERROR(read(wav({.frame = 4}, pcm({1, 1}))),
              "read_wav: 'sound.wav' states 4 bytes per sample, and must have 2" + remedy);
  CHECK_ERROR(read(wav({.rate = 4000}, pcm({1}))),
              "read_wav: 'sound.wav' has 4000 samples per second, and must have 8000 to 48000" + remedy);
  CHECK_ERROR(read(riff(chunk("fmt ", "short"))),
              "read_wav: 'sound.wav' has a format chunk of 5 bytes, and at least 16 are needed" + remedy);
  CHECK_ERROR(read(riff(chunk("data", pcm({1})))),
              "read_wav: 'sound.wav' has samples before their format; it is damaged" + remedy);
  CHECK_ERROR(read(riff(chunk("fmt ", Format{}.text()))),
              "read_wav: 'sound.wav' has no samples (no data chunk); record it again");
  CHECK_ERROR(read(wav({}, "")), "read_wav: 'sound.wav' has no samples; record it again");
  CHECK_ERROR(read(wav({}, "abc")),
              "read_wav: 'sound.wav' ends within a sample; it was cut short, so copy or record it again");
  CHECK_ERROR(read(wav({}, pcm({0, 0, 0}))),
              "read_wav: 'sound.wav' holds only silence: all 3 samples are 0; check the microphone and "
              "record it again");
}

TEST_CASE("no memory is allocated for samples that only a header promises", "[speech][wav]") {
  const std::uint32_t ten_hours = 10U * 3600 * 16000 * 2;
  const std::string promised = riff(chunk("fmt ", Format{}.text()) + "data" + bytes(ten_hours) + pcm({1, 2}));
  CHECK_ERROR(read(promised),
              "read_wav: 'sound.wav' was cut short: its header promises 1152000000 bytes of 'data', and 4 "
              "follow; copy or record it again");
}

TEST_CASE("a WAV file of ten hours is refused before its samples are read", "[speech][wav]") {
  const Scratch scratch;
  const auto path = scratch.path() / "long.wav";
  const std::uint32_t ten_hours = 10U * 3600 * 16000 * 2;
  const std::string start = riff(chunk("fmt ", Format{}.text()) + "data" + bytes(ten_hours));
  std::ofstream(path, std::ios::binary) << start;
  std::filesystem::resize_file(path, start.size() + ten_hours);  // a sparse file: takes no disk space
  CHECK_ERROR(speech::read_wav(path), "read_wav: '" + path.string() +
                                          "' lasts 36000 s, and at most 3600 s are read; cut it into parts");
}

TEST_CASE("a WAV file that is missing or a folder is refused", "[speech][wav]") {
  const Scratch scratch;
  const std::string folder = scratch.path().string();
  CHECK_ERROR(speech::read_wav(folder),
              "read_wav: '" + folder + "' is not a regular file; give the path of a WAV file");
  CHECK_ERROR(
      speech::read_wav(folder + "/no.wav"),
      "read_wav: '" + folder + "/no.wav' cannot be opened: No such file or directory; check the path");
}

TEST_CASE("a written WAV file is read again", "[speech][wav]") {
  const Scratch scratch;
  const auto path = scratch.path() / "written.wav";
  const speech::Sound sound{{0, 0.5F, -1, 32767.0F / 32768, 0.25F}, 22050};
  speech::write_wav(path, sound);
  CHECK(std::filesystem::file_size(path) == 44 + 10);
  const speech::Sound again = speech::read_wav(path);
  CHECK(again.rate == sound.rate);
  CHECK(again.samples == sound.samples);

  std::ifstream in(path, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(in), {}};
  CHECK(content == wav({.rate = 22050}, pcm({0, 16384, -32768, 32767, 8192})));
}

TEST_CASE("samples beyond full loudness are clipped", "[speech][wav]") {
  const Scratch scratch;
  const auto path = scratch.path() / "loud.wav";
  speech::write_wav(path, {{2, -3, 1}, 8000});
  CHECK(speech::read_wav(path).samples == std::vector<float>{32767.0F / 32768, -1, 32767.0F / 32768});
}

TEST_CASE("a sound that could not be read again is not written", "[speech][wav]") {
  CHECK_ERROR(
      speech::write_wav("x.wav", {{0.5F}, 100}),
      "write_wav: 'x.wav' needs 1 sample to 3600 s at 8000 to 48000 samples per second, and the sound "
      "has 1 samples at 100");
  CHECK_ERROR(
      speech::write_wav("x.wav", {{}, 8000}),
      "write_wav: 'x.wav' needs 1 sample to 3600 s at 8000 to 48000 samples per second, and the sound "
      "has 0 samples at 8000");
  CHECK_ERROR(speech::write_wav("x.wav", {{std::nanf("")}, 8000}),
              "write_wav: 'x.wav': a sample is not a number");
  CHECK(!std::filesystem::exists("x.wav"));
}
