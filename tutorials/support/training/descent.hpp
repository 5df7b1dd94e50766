#pragma once

#include <gradus/autograd/tensor.hpp>

#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

namespace tutorial {

struct Descent {
  double learning_rate;        ///< initial value; decays linearly to a tenth
  std::int64_t steps;          ///< updates
  double max_norm = INFINITY;  ///< the gradient is clipped to at most this norm
};

/// The loop of tutorial 03, with Adam. `loss` draws a new batch at every step, and computes its loss.
void descend(const std::vector<gradus::Tensor>& parameters, const Descent& how,
             const std::function<gradus::Tensor()>& loss);

}  // namespace tutorial
