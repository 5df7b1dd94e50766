#pragma once

#include <cstdint>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::data {

/// Ids with the same meaning in all tasks. All other ids start at `first_symbol`, which is a symbol in
/// Reversal and `<unk>` in a Vocabulary.
inline constexpr std::int64_t pad = 0;  ///< fills a batch after a sequence's end
inline constexpr std::int64_t bos = 1;  ///< begins the decoder's input
inline constexpr std::int64_t eos = 2;  ///< ends every target
inline constexpr std::int64_t first_symbol = 3;

/// One example: the source has neither BOS nor EOS, the target ends in EOS.
struct Pair {
  std::vector<std::int64_t> source, target;

  bool operator==(const Pair&) const = default;
};

}  // namespace gradus::data
#pragma GCC visibility pop
