#pragma once

#include <gradus/data/sentence_pair.hpp>
#include <gradus/data/tokeniser.hpp>
#include <gradus/data/tokens.hpp>
#include <gradus/data/vocabulary.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "settings.hpp"

namespace gradus::tools {

/// What there is to learn, and to be measured by. No source is in two parts.
struct Corpus {
  std::vector<data::SentencePair> train, dev, test;
};

/// Reads or makes the corpus that the settings say: a task by the seed.
/// @throws Error as check_data() and the readers do, and when no pair is left to train on.
Corpus read_corpus(const DataSettings& settings, std::uint64_t seed);

/// The pairs of one set of files, of which one form must be given, and whole.
std::vector<data::SentencePair> read_pairs(const PairFiles& files, bool swap);

/// One language of a model: text to ids, and back.
struct Side {
  data::Tokeniser tokeniser;
  data::Vocabulary vocabulary;
};

struct Sides {
  Side source, target;
};

/// How many tokens there are on each.
inline models::Vocabularies vocabularies_of(const Sides& sides) {
  return {.source = sides.source.vocabulary.size(), .target = sides.target.vocabulary.size()};
}

/// Tokenisers as the settings say, byte-pair encodings and vocabularies as the training pairs say.
Sides make_sides(const DataSettings& settings, std::span<const data::SentencePair> train);

/// The pairs as ids, each target with its EOS.
std::vector<data::Pair> encode(std::span<const data::SentencePair> pairs, const Sides& sides);

}  // namespace gradus::tools
