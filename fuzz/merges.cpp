// Fuzzes byte-pair encoding.
// The first line of the input is a word to split; the rest is the text of the merges.

#include <gradus/data/byte_pair_encoding.hpp>

#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using gradus::data::BytePairEncoding;
  const std::string_view all = fuzz::text_of(data, size), word = all.substr(0, all.find('\n'));
  fuzz::read([&] {
    const auto merges =
        BytePairEncoding::from_text(all.substr(std::min(word.size() + 1, all.size())), "fuzz");
    const std::string text = merges.to_text();
    fuzz::expect(BytePairEncoding::from_text(text, "again").to_text() == text, "merges are read as written");
    merges.split(word);
  });
  return 0;
}
