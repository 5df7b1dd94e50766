#pragma once

#include <gradus/nn/attention.hpp>

namespace gradus::nn {

/// The previous step's weights, (B, T). If undefined, as at step 0, all weight is on the first position.
/// @throws Error, in the name of `attention`, if they are not (B, T) for this memory.
Tensor previous_or_start(const char* attention, const Tensor& previous_weights, const Memory& memory);

}  // namespace gradus::nn
