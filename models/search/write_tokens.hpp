#pragma once

#include <gradus/models/search.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "search/prediction.hpp"

namespace gradus::models {

// Chooses the token that follows `written` in a source's output. Row `row` of the prediction belongs to this
// source. `source` is the index of the source in the batch.
using Choose = std::function<std::int64_t(const Prediction& next, std::int64_t row, std::int64_t source,
                                          std::span<const std::int64_t> written)>;

// Writes one output per source. Each step chooses a token, which is the input of the next step. The search
// ends when every output has ended in EOS or has reached its element of max_steps. Several threads may call
// `choose` at once, for different sources.
std::vector<Decoded> write_tokens(const Ensemble& model, const Tensor& source, const Tensor& lengths,
                                  const std::vector<std::int64_t>& max_steps, const Choose& choose);

// The maximum number of steps for each source of a batch.
std::vector<std::int64_t> steps_of(const MaxSteps& max_steps, const std::vector<WeightColumns>& sources);

// Wraps each output in a list, as a Search returns it.
std::vector<std::vector<Decoded>> one_each(std::vector<Decoded> decoded);

}  // namespace gradus::models
