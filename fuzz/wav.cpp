// Fuzzes the reader of WAV files with arbitrary bytes.

#include <gradus/speech/wav.hpp>

#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::File file;
  fuzz::read([&] { gradus::speech::read_wav(file.with(fuzz::text_of(data, size))); });
  return 0;
}
