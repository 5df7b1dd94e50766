#pragma once

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/recording.hpp>
#include <gradus/autograd/tape.hpp>

#include "kit/finding.hpp"

using namespace gradus;

// Sums g over the axes along which `shape` was broadcast to the shape of g. The result has the shape `shape`.
inline Tensor sum_to(const Tensor& /*g*/, const Shape& /*shape*/) {
  // TODO
  exercise::to_do("Write sum_to(g, shape): the sum over the axes along which `shape` was stretched.");
}

// ln(e^a + e^b), as one operation on the tape.
inline Tensor log_add_exp(const Tensor& /*a*/, const Tensor& /*b*/) {
  // TODO
  exercise::to_do("Write log_add_exp(a, b): compute ln(e^a + e^b) without recording, then record it.");
}
