#pragma once

#include <gradus/data/word_vectors.hpp>
#include <gradus/models/seq2seq.hpp>

#include <string>
#include <vector>

#include "files/corpus.hpp"
#include "settings/settings.hpp"

namespace gradus::tools {

/// The vectors of one file, for the tokens of one side.
struct Pretrained {
  std::string part;  ///< encoder or decoder
  data::WordVectors vectors;
  std::string report;  ///< a line: the number of tokens with a vector
};

/// Reads the files of `--source-embeddings` and `--target-embeddings`, if given.
/// @throws Error as data::read_word_vectors, if the vectors' size is not --embedding, or no token has one.
std::vector<Pretrained> read_embeddings(const Settings& settings, const Sides& sides);

/// Copies the vectors into the rows of their tokens' embeddings.
void set_embeddings(const std::vector<Pretrained>& embeddings, models::Seq2Seq& model);

/// Freezes the embeddings for which there is a file, if `--freeze-embeddings` is on. Call it before the
/// optimiser is made, because the optimiser allocates no averages for frozen parameters.
void freeze_embeddings(const RunSettings& settings, models::Seq2Seq& model);

}  // namespace gradus::tools
