#pragma once

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/recording.hpp>

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
    exercise::to_do(
        "Write Adam's constructor: store the parameters and the constants, and set m and v to 0.");
  }

  void step() {
    // TODO
    exercise::to_do("Write Adam's step(): update m and v, compute m̂ and v̂, and update the parameters.");
  }
};
