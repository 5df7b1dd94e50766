#pragma once

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/packing.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/nn/module.hpp>

namespace gradus::models {

// Dropout of x in training mode. A function, because a Dropout module would show in every printed tree.
inline Tensor drop(const Tensor& x, double probability, const nn::Module& module) {
  return probability > 0 && module.is_training() ? dropout(x, probability, default_generator()) : x;
}
// For packed sequences.
inline Tensor drop(const Tensor& x, double probability, const nn::Module& module, const Packing& packing) {
  return probability > 0 && module.is_training() ? dropout(x, probability, default_generator(), packing) : x;
}

}  // namespace gradus::models
