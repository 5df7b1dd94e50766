#pragma once

#include <gradus/nn/module.hpp>

#pragma GCC visibility push(default)
namespace gradus::nn {

/// Gives all parameters below a module new values as Bahdanau et al. 2015, B.1, do, drawn from
/// default_generator() in the order of named_parameters():
///
///     recurrent matrices (`weight_hh…`)       random orthogonal, each gate's for itself
///     `v_a` and all biases (`bias…`)          0
///     `W_a` and `U_a`                         N(0, 0.001²)
///     any other weight matrix                 N(0, 0.01²)
///
/// Vectors of other names, such as a layer norm's factors, are left as they are. The gradients
/// of the others are cleared.
/// @throws Error for a recurrent matrix that is not (G·H, H); nothing has changed then.
void init_bahdanau(Module& module);

}  // namespace gradus::nn
#pragma GCC visibility pop
