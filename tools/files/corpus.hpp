#pragma once

#include <gradus/data/sentence_pair.hpp>
#include <gradus/data/sentence_piece.hpp>
#include <gradus/data/tokeniser.hpp>
#include <gradus/data/tokens.hpp>
#include <gradus/data/vocabulary.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "files/frames.hpp"
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

/// Reads `files.pairs`, or `files.source` and `files.target`, whichever is set. A folder as `files.source`
/// stands for its files of frames, sorted by name.
std::vector<data::SentencePair> read_pairs(const PairFiles& files, bool swap);

/// Paths in a list of files are relative to the list: makes the sources relative to the working folder.
void locate_frames(std::vector<data::SentencePair>& pairs, const PairFiles& files);

/// One language of a model: converts text to ids and back. Or sound: then the text is a file's path.
struct Side {
  data::Tokeniser tokeniser;
  data::Vocabulary vocabulary;
  std::shared_ptr<Frames> frames = nullptr;  ///< of a source of sound

  /// The tokens of a text; the path of a file as a whole.
  std::vector<std::string> split(const std::string& text) const;
  /// The ids of tokens; of a file's frames. @throws Error as Frames::read().
  std::vector<std::int64_t> encode(std::span<const std::string> tokens) const;
};

struct Sides {
  Side source, target;
};

/// Vocabulary sizes of both sides, or the size of the source's frames.
models::Vocabularies vocabularies_of(const Sides& sides);

/// SentencePiece models that need not be read from their files.
struct Pieces {
  std::optional<data::SentencePiece> source, target;
};

/// Makes tokenisers from the settings; learns byte-pair encodings and vocabularies from the training pairs.
/// @param kept SentencePiece models in memory, used instead of reading their files
Sides make_sides(const DataSettings& settings, std::span<const data::SentencePair> train,
                 const Pieces& kept = {});

/// The pairs as ids; each target ends with EOS.
std::vector<data::Pair> encode(std::span<const data::SentencePair> pairs, const Sides& sides);

}  // namespace gradus::tools
