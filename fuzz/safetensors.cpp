// Fuzzes the reader of safetensors files with arbitrary bytes.

#include <gradus/nn/safetensors.hpp>

#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::File file;
  fuzz::read([&] { gradus::nn::load_safetensors(file.with(fuzz::text_of(data, size))); });
  return 0;
}
