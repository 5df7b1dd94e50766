#pragma once

#include <gradus/models/encoder.hpp>
#include <gradus/nn/decoder_step.hpp>

#include <cstdint>
#include <vector>

namespace gradus::models {

// The state and memory of each member of an ensemble.
using Starts = std::vector<nn::DecoderStep::Start>;

// Tracks the rows of the decoders' states and memories in a search. Each row belongs to one source of the
// batch.
class Rows {
 public:
  // Starts with one row per source.
  explicit Rows(std::int64_t sources);

  // Replaces the rows of `at` by the rows with these indices. The indices may be in any order, and an index
  // may occur several times or not at all.
  void select(const std::vector<std::int64_t>& rows, Starts& at);

 private:
  std::vector<std::int64_t> sources_;  // the source of each row
};

// The attention weights of one output, (tokens, columns): step t contributes row rows[t], cut to the source's
// annotations. An annotation's weight is divided equally among its columns. Undefined if there are no tokens
// or no attention.
Tensor alignment(const std::vector<Tensor>& steps, const std::vector<std::int64_t>& rows,
                 const WeightColumns& columns);

}  // namespace gradus::models
