// Fuzzes the reader of safetensors files with an arbitrary header, whose length field is correct.
// The first byte of the input is the number of 4-byte values after the header.

#include <gradus/nn/safetensors.hpp>

#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static const fuzz::File file;
  const std::uint64_t length = size - 1;
  std::string content(reinterpret_cast<const char*>(&length), sizeof length);
  content += fuzz::text_of(data + 1, length);
  content.append(4U * data[0], '\0');
  fuzz::read([&] {
    std::size_t values = 0;
    const gradus::nn::Safetensors read = gradus::nn::load_safetensors(file.with(content));
    for (const auto& [name, tensor] : read.tensors) {
      const std::size_t bytes =  // in the file; BF16 is read as f32
          read.narrow.bf16.contains(name) ? 2 : gradus::bytes_per_element(tensor.dtype());
      values += static_cast<std::size_t>(tensor.numel()) * bytes;
    }
    // Headers that contain an 8 are not checked, because they may have the dtype I8. An I8 value takes one
    // byte in the file, and four when read. Every spelling of "I8", such as "I\u0038", contains an 8.
    if (fuzz::text_of(data + 1, length).find('8') != std::string::npos) return;
    fuzz::expect(values == 4U * data[0], "every value belongs to one tensor");
  });
  return 0;
}
