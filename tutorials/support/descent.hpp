#pragma once

#include <gradus/autograd/tensor.hpp>

#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

namespace tutorial {

struct Descent {
  double learning_rate;        ///< initial; decays linearly to a tenth
  std::int64_t steps;          ///< updates
  double max_norm = INFINITY;  ///< the gradient is clipped to this norm
};

/// Tutorial 03's loop with Adam. `loss` computes the loss of a new batch at every step.
void descend(const std::vector<gradus::Tensor>& parameters, const Descent& how,
             const std::function<gradus::Tensor()>& loss);

}  // namespace tutorial
