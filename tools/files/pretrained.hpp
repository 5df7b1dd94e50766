#pragma once

#include <gradus/models/seq2seq.hpp>

#include <string>

#include "files/corpus.hpp"
#include "settings/settings.hpp"

namespace gradus::tools {

/// Copies the word vectors of `--source-embeddings` and `--target-embeddings`, if given, into the rows of the
/// tokens' embeddings. Returns a line per file: the number of tokens with a vector.
/// @throws Error as data::read_word_vectors, if the vectors' size is not --embedding, or no token has one.
std::string load_embeddings(const Settings& settings, const Sides& sides, models::Seq2Seq& model);

/// Freezes the embeddings for which there is a file, if `--freeze-embeddings` is on. Must precede the
/// optimiser, which keeps no averages of frozen parameters.
void freeze_embeddings(const RunSettings& settings, models::Seq2Seq& model);

}  // namespace gradus::tools
