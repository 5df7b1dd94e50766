#pragma once

#include <gradus/data/reversal.hpp>
#include <gradus/models/seq2seq.hpp>

#include <string>
#include <vector>

#include "table.hpp"

/// Size, quality and speed of models that were made smaller.
namespace tutorial {

/// How a model's weights are stored.
enum class Format {
  dense,   ///< f32, 4 bytes a weight
  sparse,  ///< a bit per weight of a matrix, and f32 for those that are not 0
  int8,    ///< 1 byte per weight of a matrix and 4 per row; the model also multiplies in int8
};

struct Small {
  std::string name;
  double kilobytes;
  double exact;         ///< exact match on sources of the longest training length
  double perplexity;    ///< of their targets
  double milliseconds;  ///< per sentence, greedy decoding of one at a time; the least of several rounds
};

/// The fraction of at most 500 held-out sources of the longest training length that greedy decoding reverses.
double exact(const gradus::models::Seq2Seq& model, const gradus::data::Reversal& task);
/// The same with products in int8. Rounds the model's matrices to int8 for the measurement.
double exact_in_int8(gradus::models::Seq2Seq& model, const gradus::data::Reversal& task);

/// Measures a model. Restores its weights if the format rounds them.
Small measure_small(const std::string& name, Format format, gradus::models::Seq2Seq& model,
                    const gradus::data::Reversal& task);

/// Table "methods": size and quality; table "time": milliseconds, which differ from run to run.
Table methods_table(const std::vector<Small>& rows);
Table times_table(const std::vector<Small>& rows);

}  // namespace tutorial
