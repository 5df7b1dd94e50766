#include "check_pair.hpp"

#include <cstdint>
#include <span>

#include "check.hpp"

namespace gradus::data {
namespace {

using TokenIds = std::span<const std::int64_t>;

void check_ordinary(std::string_view operation, TokenIds tokens, std::string_view side, std::size_t pair) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] < first_symbol) {
      fail(operation, ": ", side, "[", i, "] of pair ", pair, " is ", tokens[i],
           ", but ordinary tokens start at ", first_symbol,
           "; omit PAD (0) and BOS (1), and put EOS (2) only at the target's end");
    }
  }
}

}  // namespace

void check_pair(std::string_view operation, const Pair& pair, std::size_t index) {
  if (pair.source.empty()) {
    fail(operation, ": the source of pair ", index,
         " is empty, but attention needs at least one position; drop the pair");
  }
  if (pair.target.empty() || pair.target.back() != eos) {
    fail(operation, ": the target of pair ", index, " does not end in EOS (2); append it");
  }
  check_ordinary(operation, pair.source, "source", index);
  check_ordinary(operation, TokenIds(pair.target).first(pair.target.size() - 1), "target", index);
}

}  // namespace gradus::data
