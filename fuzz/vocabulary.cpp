// Fuzzes the reader of vocabularies with arbitrary text.

#include <gradus/data/vocabulary.hpp>

#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using gradus::data::Vocabulary;
  fuzz::read([&] {
    const std::string text = Vocabulary::from_text(fuzz::text_of(data, size), "fuzz").to_text();
    fuzz::expect(Vocabulary::from_text(text, "again").to_text() == text, "a vocabulary is read as written");
  });
  return 0;
}
