#pragma once

#include <gradus/data/tokens.hpp>
#include <gradus/data/uniform.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::data {

/// The task of reversing a string: source `a b c`, target `c b a <eos>`.
///
/// The true alignment is known: target step t reads position L - t + 1 of a source of length L. Steps and
/// positions are counted from 1. About a fifth of the strings is held out. A hash of the source decides
/// which, so that training and held-out strings are disjoint for every seed.
class Reversal {
 public:
  /// @param symbols     number of symbols, 2 to 1000000; their ids start at `first_symbol`.
  /// @param min_length  shortest training source, at least 1.
  /// @param max_length  longest training source, `min_length` to 1000000.
  /// @throws gradus::Error outside these ranges.
  explicit Reversal(std::int64_t symbols = 10, std::int64_t min_length = 3, std::int64_t max_length = 12);

  std::int64_t symbols() const { return symbols_; }
  std::int64_t min_length() const { return min_length_; }
  std::int64_t max_length() const { return max_length_; }

  /// Number of ids: PAD, BOS, EOS and the symbols.
  std::int64_t vocabulary_size() const { return first_symbol + symbols_; }

  /// The source with its target, which is the reversed source and EOS. Lengths outside the training range are
  /// allowed.
  /// @throws gradus::Error if the source is empty or an id is not a symbol.
  Pair make(std::vector<std::int64_t> source) const;

  /// A training pair. The length is uniform in [min_length, max_length]. The string is uniform among the
  /// strings of this length that are not held out.
  /// @throws gradus::Error if 1000 draws in a row are held out.
  Pair sample_training(const UniformIndex& uniform) const;

  /// True if the source is held out: `stable_hash(source) % 5 == 0`.
  static bool held_out(std::span<const std::int64_t> source);

  /// Held-out pairs of one length, which may be outside the training range. If there are at most `limit` such
  /// pairs, returns all of them in lexicographic order. Otherwise returns `limit` random pairs, all
  /// different. With two or three symbols, no string of length 1 is held out.
  /// @param length   1 to 1000000.
  /// @param uniform  used only if there are more than `limit` held-out strings.
  /// @param limit    1 to 1000000.
  /// @throws gradus::Error outside these ranges, or if 1000 draws in a row yield no new pair.
  std::vector<Pair> held_out_pairs(std::int64_t length, const UniformIndex& uniform,
                                   std::int64_t limit = 500) const;

  /// The text of a token: `<pad>`, `<bos>`, `<eos>`, or a symbol: `a` … `z`, then `s26`, `s27` and so on.
  /// @throws gradus::Error if the id is outside the vocabulary.
  std::string token_text(std::int64_t id) const;

  /// The tokens separated by spaces: `c b a <eos>`.
  std::string text(std::span<const std::int64_t> ids) const;

 private:
  std::int64_t symbols_, min_length_, max_length_;
};

}  // namespace gradus::data
#pragma GCC visibility pop
