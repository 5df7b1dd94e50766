#pragma once

#include <gradus/autograd/tensor.hpp>

#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

namespace tutorial {

struct Descent {
  double learning_rate;        ///< at first; it falls in a straight line to a tenth
  std::int64_t steps;          ///< updates
  double max_norm = INFINITY;  ///< of the gradient, by clipping
};

/// Tutorial 03's loop with Adam. `loss` computes the loss of a new batch at every step.
void descend(const std::vector<gradus::Tensor>& parameters, const Descent& how,
             const std::function<gradus::Tensor()>& loss);

}  // namespace tutorial
