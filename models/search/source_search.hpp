#pragma once

#include <gradus/models/beam_search.hpp>
#include <gradus/models/running_batch.hpp>

#include <cstdint>
#include <memory>
#include <vector>

#include "search/prediction.hpp"
#include "search/write_tokens.hpp"

namespace gradus::models {

// The search for one source's outputs. The caller runs the decoder. Until done() is true, the caller calls
// put_inputs() before each step, and read() after the step.
class SourceSearch {
 public:
  virtual ~SourceSearch() = default;

  virtual bool done() const = 0;
  // Describes the rows of the next step. Each row continues a row of the last prediction. For each row,
  // appends its input token to `tokens`, and the index of the continued row to `rows`. Before the first step,
  // this index is `first_row`. All steps except the first have the same number of rows.
  virtual void put_inputs(std::int64_t first_row, std::vector<std::int64_t>& rows,
                          std::vector<std::int64_t>& tokens) const = 0;
  // Reads the prediction of a step. This source's rows begin at `first_row`.
  virtual void read(const Prediction& next, std::int64_t first_row) = 0;
  // At least one output, best first.
  virtual std::vector<Decoded> results() const = 0;
};

// A search for one output, with one row at every step.
std::shared_ptr<SourceSearch> search_by_choice(const WeightColumns& columns, std::int64_t max_steps,
                                               Choose choose);

// The beam search of one source.
std::shared_ptr<SourceSearch> search_by_beam(const WeightColumns& columns, std::int64_t max_steps,
                                             const BeamOptions& options);

// The choices of greedy() and sample(): the likeliest allowed token, or a token drawn from `generator`.
Choose choose_likeliest(const Constraints& constraints);
Choose choose_at_random(const SamplingOptions& options, const Generator& generator);

}  // namespace gradus::models
