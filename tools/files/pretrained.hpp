#pragma once

#include <gradus/data/word_vectors.hpp>
#include <gradus/models/seq2seq.hpp>

#include <string>
#include <vector>

#include "files/corpus.hpp"
#include "settings/settings.hpp"

namespace gradus::tools {

/// Pretrained vectors from one file, for the tokens of one side.
struct Pretrained {
  std::string part;  ///< encoder or decoder
  data::WordVectors vectors;
  std::string report;  ///< a line: the number of tokens with a vector
};

/// Reads the files of `--source-embeddings` and `--target-embeddings`, if given.
/// @throws Error if data::read_word_vectors() throws, if the size of the vectors is not --embedding, or if no
/// token has a vector.
std::vector<Pretrained> read_embeddings(const Settings& settings, const Sides& sides);

/// Copies each vector into its token's row of the embedding.
void set_embeddings(const std::vector<Pretrained>& embeddings, models::Seq2Seq& model);

/// With `--freeze-embeddings`, freezes the embeddings that were read from a file. Call this before making the
/// optimiser, which allocates no averages for frozen parameters.
void freeze_embeddings(const RunSettings& settings, models::Seq2Seq& model);

}  // namespace gradus::tools
