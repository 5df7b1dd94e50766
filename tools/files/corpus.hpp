#pragma once

#include <gradus/data/sentence_pair.hpp>
#include <gradus/data/sentence_piece.hpp>
#include <gradus/data/tokeniser.hpp>
#include <gradus/data/tokens.hpp>
#include <gradus/data/vocabulary.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "settings/settings.hpp"

namespace gradus::tools {

/// Training and held-out pairs. A split keeps each source in one part; separate files may repeat a source.
struct Corpus {
  std::vector<data::SentencePair> train, dev, test;
  std::int64_t dropped = 0;  ///< text pairs outside the length limits
};

/// Reads a text, or generates a task from the seed.
/// @throws Error as check_data() and the readers do, and when no training pair is left.
Corpus read_corpus(const DataSettings& settings, std::uint64_t seed);

/// Reads `files.pairs`, or `files.source` and `files.target`, whichever is set.
std::vector<data::SentencePair> read_pairs(const PairFiles& files, bool swap);

/// One language of a model: converts text to ids and back.
struct Side {
  data::Tokeniser tokeniser;
  data::Vocabulary vocabulary;
};

struct Sides {
  Side source, target;
};

/// Vocabulary sizes of both sides.
inline models::Vocabularies vocabularies_of(const Sides& sides) {
  return {.source = sides.source.vocabulary.size(), .target = sides.target.vocabulary.size()};
}

/// SentencePiece models that need not be read from their files.
struct Pieces {
  std::optional<data::SentencePiece> source, target;
};

/// Makes tokenisers from the settings; learns byte-pair encodings and vocabularies from the training pairs.
/// @param kept replaces the files of SentencePiece models
Sides make_sides(const DataSettings& settings, std::span<const data::SentencePair> train,
                 const Pieces& kept = {});

/// The pairs as ids; each target ends with EOS.
std::vector<data::Pair> encode(std::span<const data::SentencePair> pairs, const Sides& sides);

}  // namespace gradus::tools
