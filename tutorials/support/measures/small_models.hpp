#pragma once

#include <gradus/data/reversal.hpp>
#include <gradus/models/seq2seq.hpp>

#include <string>
#include <vector>

#include "support/page/table.hpp"

/// Size, quality and speed of models that have been made smaller.
namespace tutorial {

/// How a model's weights are stored. Vectors are f32 in every format.
enum class Format {
  dense,   ///< f32, 4 bytes per weight
  sparse,  ///< one bit per weight of a matrix, and an f32 for each weight that is not 0
  int8,    ///< 1 byte per weight of a matrix, 4 bytes per row; products run in int8
};

struct Small {
  std::string name;
  double kilobytes;
  double exact;         ///< exact match on sources of the longest training length
  double perplexity;    ///< perplexity of the targets of 100 such sources
  double milliseconds;  ///< per sentence, decoded greedily one by one; in the fastest of several rounds
};

/// The exact match of greedy decoding on at most 500 held-out sources of the longest training length.
double exact(const gradus::models::Seq2Seq& model, const gradus::data::Reversal& task);
/// The exact match with products in int8. Rounds the model's matrices, and leaves them rounded.
double exact_in_int8(gradus::models::Seq2Seq& model, const gradus::data::Reversal& task);

/// Measures a model. If the format rounds the weights, restores them afterwards.
Small measure_small(const std::string& name, Format format, gradus::models::Seq2Seq& model,
                    const gradus::data::Reversal& task);

/// Table "methods": size and quality. Table "time": milliseconds per sentence, which differ between two runs
/// with the same seed.
Table methods_table(const std::vector<Small>& rows);
Table times_table(const std::vector<Small>& rows);

}  // namespace tutorial
