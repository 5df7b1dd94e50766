#pragma once

#include <gradus/nn/module.hpp>

#pragma GCC visibility push(default)
namespace gradus::nn {

/// Initialises the parameters of a module and its children again, as in Bahdanau et al. 2015, B.1. Draws from
/// default_generator() in the order of named_parameters():
///
///     recurrent matrices (`weight_hh…`)       random orthogonal, separately for each gate
///     `v_a` and all biases (`bias…`)          0
///     `W_a` and `U_a`                         N(0, 0.001²)
///     any other weight matrix                 N(0, 0.01²)
///
/// Other vectors, such as a layer norm's weight, keep their values. The gradients of all changed parameters
/// are cleared.
/// @throws Error for a recurrent matrix that is not (G·H, H); changes nothing in that case.
void init_bahdanau(Module& module);

}  // namespace gradus::nn
#pragma GCC visibility pop
