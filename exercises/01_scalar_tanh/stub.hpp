#pragma once

#include <cmath>

#include "01_scalar_tanh/tape.hpp"
#include "kit/finding.hpp"

using namespace scalar;

// y = tanh x, on the tape of x.
inline Value tanh(Value /*x*/) {
  // TODO
  exercise::to_do("Write tanh(x): its value, and how the gradient of y goes on to x.");
}
