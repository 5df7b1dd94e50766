#pragma once

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/packing.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/nn/module.hpp>

namespace gradus::models {

// Dropout of x in training mode. This is a function, because a Dropout module would appear in every printed
// module tree.
inline Tensor drop(const Tensor& x, double probability, const nn::Module& module) {
  return probability > 0 && module.is_training() ? dropout(x, probability, default_generator()) : x;
}
// Dropout of packed sequences x in training mode.
inline Tensor drop(const Tensor& x, double probability, const nn::Module& module, const Packing& packing) {
  return probability > 0 && module.is_training() ? dropout(x, probability, default_generator(), packing) : x;
}

}  // namespace gradus::models
