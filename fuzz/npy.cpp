// Fuzzes the reader of .npy files with arbitrary bytes.

#include <gradus/nn/npy.hpp>

#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::File file;
  fuzz::read([&] { gradus::nn::load_npy(file.with(fuzz::text_of(data, size))); });
  return 0;
}
