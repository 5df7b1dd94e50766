#pragma once

#include <gradus/models/search.hpp>

#include <cstdint>
#include <functional>
#include <vector>

#include "decoding.hpp"

namespace gradus::models {

// The token that a source's output has at a step, given what the model says of it in that row.
using Choose = std::function<std::int64_t(const Prediction& next, std::int64_t row, std::int64_t source,
                                          std::int64_t step)>;

// Writes one output a source, each token chosen for itself and read by the next step, until all have ended in
// EOS or their steps (one number a source) have run out. Threads may each write the outputs of some sources,
// and call `choose` for those.
std::vector<Decoded> write_tokens(const Seq2Seq& model, const Tensor& source, const Tensor& lengths,
                                  const std::vector<std::int64_t>& max_steps, const Choose& choose);

// The numbers of steps of a batch's sources.
std::vector<std::int64_t> steps_of(const MaxSteps& max_steps, const Tensor& lengths);

// A search that gives one output a source, as those that give several.
std::vector<std::vector<Decoded>> one_each(std::vector<Decoded> decoded);

}  // namespace gradus::models
