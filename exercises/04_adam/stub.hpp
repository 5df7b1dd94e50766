#pragma once

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/runtime.hpp>

#include <cmath>
#include <vector>

#include "kit/finding.hpp"

using namespace gradus;

// Kingma and Ba (2015), algorithm 1.
class Adam {
 public:
  Adam(const std::vector<Tensor>& /*parameters*/, double /*alpha*/, double /*beta_1*/, double /*beta_2*/,
       double /*epsilon*/) {
    // TODO
    exercise::to_do("Write Adam's constructor: keep the parameters and the numbers, and begin m and v at 0.");
  }

  void step() {
    // TODO
    exercise::to_do("Write Adam's step(): m, v, their hats, and the new parameters.");
  }
};
