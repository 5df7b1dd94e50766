#pragma once

#include <gradus/data/vocabulary.hpp>

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::data {

/// The vectors that a file of word vectors has for the tokens of a vocabulary.
struct WordVectors {
  std::int64_t size = 0;          ///< E, the length of each vector
  std::vector<std::int64_t> ids;  ///< (N): the ids of the tokens found, in the file's order
  std::vector<float> values;      ///< (N, E), row by row
};

/// Reads word vectors in the text format of word2vec, fastText and GloVe. A line has a word and E numbers,
/// separated by spaces. The first line may be a header, `NUMBER_OF_WORDS E`, which word2vec and fastText
/// write. A word may contain spaces, as some words in GloVe's files do. If a word is repeated, its first
/// vector counts. For words outside the vocabulary and repeated words, the numbers are counted but not
/// parsed.
/// @param source_name  the file's name, for messages.
/// @throws gradus::Error if the text has no vectors. @throws gradus::Error naming the line if the text is not
///         UTF-8, if E is 0, if a line has fewer than E + 1 fields, if one of the parsed numbers is not
///         finite, or if the number of words in the text differs from the number in the header.
WordVectors word_vectors_from_text(std::string_view text, std::string_view source_name,
                                   const Vocabulary& vocabulary);

/// Calls word_vectors_from_text() with the content of a file, which may be compressed by gzip.
WordVectors read_word_vectors(const std::filesystem::path& path, const Vocabulary& vocabulary);

}  // namespace gradus::data
#pragma GCC visibility pop
