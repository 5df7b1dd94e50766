// Fuzzes the reader of gold alignments in Pharaoh format with arbitrary text.

#include "fuzz.hpp"
#include "reports/pharaoh.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::File file;
  fuzz::read([&] { gradus::tools::read_gold_links(file.with(fuzz::text_of(data, size))); });
  return 0;
}
