#pragma once

#include <gradus/data/sentence_pair.hpp>
#include <gradus/data/sentence_piece.hpp>
#include <gradus/data/tokeniser.hpp>
#include <gradus/data/tokens.hpp>
#include <gradus/data/vocabulary.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "files/frames.hpp"
#include "settings/settings.hpp"

namespace gradus::tools {

/// Training, dev and test pairs. A split puts each source into one part only; separate files may repeat a
/// source.
struct Corpus {
  std::vector<data::SentencePair> train, dev, test;
  std::int64_t dropped = 0;             ///< text pairs outside the length limits
  std::vector<std::string> notes = {};  ///< about files with more than two columns
};

/// Reads a text, or generates a task's examples from the seed.
/// @throws Error if check_data(), check_task_fits() or a reader throws, if no training pair is left, or if
/// the task has too few sources for one of the parts.
Corpus read_corpus(const DataSettings& settings, std::uint64_t seed);

/// Reads `files.pairs` if it is set; otherwise reads `files.source` and `files.target`. If `files.source` is
/// a folder, the sources are the names of its .wav and .npy files, sorted.
/// @param swap true to exchange source and target
/// @param notes receives the note of note_of_columns(), if there is a note. If `notes` is null, the note is
/// written to standard error.
std::vector<data::SentencePair> read_pairs(const PairFiles& files, bool swap,
                                           std::vector<std::string>* notes = nullptr);

/// The folder to which paths in a list of files are relative. For a pipe or standard input, the result is
/// empty: the working folder.
std::filesystem::path folder_of_list(const std::filesystem::path& list);

/// Prepends a folder to each relative path in the sources: `files.source` if it is a folder, otherwise
/// folder_of_list() of the list that names the path. A blank source stays blank.
void locate_frames(std::vector<data::SentencePair>& pairs, const PairFiles& files);

/// One language of a model: converts text to ids and back. For sound, the text is the path of a file.
struct Side {
  data::Tokeniser tokeniser;
  data::Vocabulary vocabulary;
  std::shared_ptr<Frames> frames = nullptr;  ///< set for a source of sound

  /// The tokens of a text. For sound, the path is the only token.
  std::vector<std::string> split(const std::string& text) const;
  /// The ids of tokens. For sound, the ids of the file's frames. @throws Error if Frames::read() throws.
  std::vector<std::int64_t> encode(std::span<const std::string> tokens) const;
};

struct Sides {
  Side source, target;
};

/// The vocabulary sizes of both sides. For sound, `source` is 0, and `vectors` is the size of a frame.
models::Vocabularies vocabularies_of(const Sides& sides);

/// SentencePiece models that are already in memory.
struct Pieces {
  std::optional<data::SentencePiece> source, target;
};

/// Makes tokenisers from the settings; learns byte-pair encodings and vocabularies from the training pairs.
/// For a source of sound, calls Frames::learn() instead.
/// @param kept SentencePiece models in memory, used instead of reading their files
Sides make_sides(const DataSettings& settings, std::span<const data::SentencePair> train,
                 const Pieces& kept = {});

/// The pairs as ids; each target ends with EOS.
std::vector<data::Pair> encode(std::span<const data::SentencePair> pairs, const Sides& sides);

/// Reads the recordings of these pairs, so that a damaged recording is found before training. Training calls
/// this only for the test pairs, because encode() reads the recordings of the others.
/// @throws Error if Frames::check() throws.
void check_frames(std::span<const data::SentencePair> pairs, const Sides& sides);

}  // namespace gradus::tools
