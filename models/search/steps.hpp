#pragma once

#include <gradus/models/ensemble.hpp>
#include <gradus/nn/decoder_step.hpp>

#include <cstdint>
#include <functional>
#include <vector>

#include "search/prediction.hpp"
#include "search/rows.hpp"

namespace gradus::models {

// The columns of the attention weights, for sources of these lengths, (B), i64. @throws Error if the members
// shorten their sources differently, or differ in their `silence`.
std::vector<WeightColumns> weight_columns(const Ensemble& model, const Tensor& lengths);

// Encodes the source with every member.
Starts start(const Ensemble& model, const Tensor& source, const Tensor& lengths);

// nn::for_each_step() for all members of an ensemble together. Before step t, input(t, at) returns the
// previous tokens, (B), i64, or an undefined tensor to stop; `input` may change the members' states and
// memories in `at`. After the step, visit(t, prediction) receives the members' common prediction.
void for_each_step(const Ensemble& model, Starts at,
                   const std::function<Tensor(std::int64_t t, Starts& at)>& input,
                   const std::function<void(std::int64_t t, const Prediction& next)>& visit);

}  // namespace gradus::models
