#pragma once

#include <gradus/data/tokens.hpp>
#include <gradus/data/uniform.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::data {

/// The task of writing a string backwards: source `a b c`, target `c b a <eos>`.
///
/// Its true alignment is known: target step t reads source position L - t + 1. Strings are split by a hash
/// of the source alone: a fifth is held out at every length, whatever the seed, and so training and held-out
/// strings never meet.
class Reversal {
 public:
  /// \param symbols     how many different symbols, 2 to 1000000; their ids start at `first_symbol`.
  /// \param min_length  of a training source, at least 1.
  /// \param max_length  of a training source, `min_length` to 1000000.
  /// \throws gradus::Error outside these ranges.
  explicit Reversal(std::int64_t symbols = 10, std::int64_t min_length = 3, std::int64_t max_length = 12);

  std::int64_t symbols() const { return symbols_; }
  std::int64_t min_length() const { return min_length_; }
  std::int64_t max_length() const { return max_length_; }

  /// Ids run from 0 to here, exclusive: PAD, BOS and EOS, then the symbols.
  std::int64_t vocabulary_size() const { return first_symbol + symbols_; }

  /// The source with its target: the reverse, then EOS. Any length of at least 1, trained or not.
  /// \throws gradus::Error if the source is empty or an id is no symbol.
  Pair make(std::vector<std::int64_t> source) const;

  /// A training pair: its length is uniform in [min_length, max_length], its string uniform among those of
  /// that length that are not held out.
  /// \throws gradus::Error if 1000 draws in a row are held out.
  Pair sample_training(const UniformIndex& uniform) const;

  /// Whether a source belongs to the held-out fifth: `stable_hash(source) % 5 == 0`.
  static bool held_out(std::span<const std::int64_t> source);

  /// The held-out pairs of one length, which may lie outside the trained ones: all of them in lexicographic
  /// order if there are at most `limit`, otherwise `limit` distinct ones drawn at random. There are none at
  /// length 1 with two or three symbols.
  /// \param length   1 to 1000000.
  /// \param uniform  asked only where there are more than `limit`.
  /// \param limit    1 to 1000000.
  /// \throws gradus::Error outside these ranges, or if 1000 draws in a row give nothing new.
  std::vector<Pair> held_out_pairs(std::int64_t length, const UniformIndex& uniform,
                                   std::int64_t limit = 500) const;

  /// How a token prints: `a` … `z` and then `s26`, `s27`, … for the symbols, `<pad>`, `<bos>`, `<eos>`.
  /// \throws gradus::Error if the id is outside the vocabulary.
  std::string token_text(std::int64_t id) const;

  /// The tokens with a space between them: `c b a <eos>`.
  std::string text(std::span<const std::int64_t> ids) const;

 private:
  std::int64_t symbols_, min_length_, max_length_;
};

}  // namespace gradus::data
#pragma GCC visibility pop
