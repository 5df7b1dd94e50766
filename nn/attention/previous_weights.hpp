#pragma once

#include <gradus/nn/attention.hpp>

namespace gradus::nn {

/// The previous step's weights, (B, T). If they are undefined, as at step 0, returns a weight of 1 on the
/// first position.
/// @throws Error, in the name of `attention`, if the weights are not (B, T) for this memory.
Tensor previous_or_start(const char* attention, const Tensor& previous_weights, const Memory& memory);

}  // namespace gradus::nn
