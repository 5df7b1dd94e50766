// Fuzzes the reader of word vectors with arbitrary text.

#include <gradus/data/word_vectors.hpp>

#include <algorithm>
#include <cmath>

#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const gradus::data::Vocabulary vocabulary({"the", "of", "é", ". .", "2"});
  fuzz::read([&] {
    const auto vectors = gradus::data::word_vectors_from_text(fuzz::text_of(data, size), "fuzz", vocabulary);
    fuzz::expect(vectors.size > 0 && std::ssize(vectors.values) == std::ssize(vectors.ids) * vectors.size,
                 "every token found has a whole vector");
    fuzz::expect(std::ranges::all_of(vectors.values, [](float value) { return std::isfinite(value); }),
                 "all numbers are finite");
    for (const std::int64_t id : vectors.ids) {
      fuzz::expect(id > gradus::data::unk && std::ranges::count(vectors.ids, id) == 1,
                   "a token is found once, and is not special");
    }
  });
  return 0;
}
