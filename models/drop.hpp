#pragma once

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/packing.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/nn/module.hpp>

namespace gradus::models {

// Dropout of x while the module is trained; without a module of its own, which every printed tree would show.
inline Tensor drop(const Tensor& x, double probability, const nn::Module& module) {
  return probability > 0 && module.is_training() ? dropout(x, probability, default_generator()) : x;
}
// Of packed sequences.
inline Tensor drop(const Tensor& x, double probability, const nn::Module& module, const Packing& packing) {
  return probability > 0 && module.is_training() ? dropout(x, probability, default_generator(), packing) : x;
}

}  // namespace gradus::models
