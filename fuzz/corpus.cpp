// Fuzzes the readers of sentence pairs, and the tokeniser, with arbitrary text.
// Reads the text in two ways: as tab-separated pairs, and as two files that the first form feed separates.

#include <gradus/data/parallel_text.hpp>
#include <gradus/data/tokeniser.hpp>

#include "fuzz.hpp"

namespace {

using namespace gradus::data;

void tokenise(const std::string& sentence) {
  for (const TokenUnit unit : {TokenUnit::word, TokenUnit::character, TokenUnit::chinese}) {
    const Tokeniser tokeniser({.unit = unit, .french_spacing = true});
    tokeniser.join(tokeniser.split(sentence));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::File source, target;
  const std::string_view text = fuzz::text_of(data, size);
  const std::size_t cut = std::min(text.find('\f'), size);
  fuzz::read([&] {
    for (const SentencePair& pair : read_tab_separated(source.with(text))) tokenise(pair.source);
  });
  fuzz::read([&] {
    const auto pairs =
        read_parallel(source.with(text.substr(0, cut)), target.with(text.substr(std::min(cut + 1, size))));
    for (const SentencePair& pair : pairs) tokenise(pair.target);
  });
  return 0;
}
