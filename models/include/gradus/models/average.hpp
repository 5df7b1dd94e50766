#pragma once

#include <gradus/nn/module.hpp>

#include <span>

#pragma GCC visibility push(default)
namespace gradus::models {

/// The mean of several states of one model, such as its last checkpoints (Junczys-Dowmunt et al. 2016,
/// section 4.1): θ = 1/N Σ_n θ_n, element by element, summed in f64. Integer tensors of the result are those
/// of the last state.
/// @throws Error if there is no state, or the states differ in names, shapes or dtypes.
NamedTensors average(std::span<const NamedTensors> states);

}  // namespace gradus::models
#pragma GCC visibility pop
