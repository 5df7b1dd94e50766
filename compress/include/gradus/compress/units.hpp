#pragma once

#include <gradus/models/seq2seq.hpp>

#include <cstdint>

#pragma GCC visibility push(default)
namespace gradus::compress {

/// Structured pruning: removes whole hidden units, and returns the state of the smaller model. The encoder's
/// forward direction, its backward direction and the decoder each keep `hidden` units u: those whose weights
/// have the largest norm,
///
///     ‖w_u‖² = Σ (rows of u in every gate)² + Σ (columns that read u)²
///
/// These weights are the groups of Wen et al. 2018, "Learning intrinsic sparse structures within long
/// short-term memory", section 3.1. All rows and columns of the other units are removed. The matrices become
/// smaller and stay dense, so products become faster and files smaller. Load the result with
/// load_state_dict() into a model with the same options except `hidden`, and train it further.
///
/// With SharedAdditiveAttention, column u of W_a reads unit u of the decoder and of both directions. So the
/// decoder and both directions keep the same units u, and ‖w_u‖² sums over the weights of these three units.
/// Column u of W_a counts once.
///
/// @param model an encoder in both directions and a BahdanauDecoder with AdditiveAttention or
/// SharedAdditiveAttention, each of one layer
/// @param hidden from 1 to the model's H
/// @throws Error for any other model, naming a parameter that does not fit or is missing, and for `hidden`
/// outside its range.
NamedTensors keep_units(const models::Seq2Seq& model, std::int64_t hidden);

}  // namespace gradus::compress
#pragma GCC visibility pop
