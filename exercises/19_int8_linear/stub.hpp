#pragma once

#include <gradus/autograd/ops.hpp>

#include <algorithm>
#include <cmath>

#include "19_int8_linear/matrix.hpp"
#include "kit/finding.hpp"

using namespace gradus;

// x / s, rounded to the nearest integer and limited to −127 … 127; 0 if s = 0.
inline std::int8_t to_int8(double /*x*/, double /*s*/) {
  // TODO
  exercise::to_do("Write to_int8(x, s): round x / s to the nearest integer, limited to −127 … 127.");
}

// W (N, K) in int8, with the scale s_i = max_j |W_ij| / 127 for each row i.
inline int8::Matrix quantise_rows(const Tensor& /*W*/) {
  // TODO
  exercise::to_do("Write quantise_rows(W): a scale for each row, and the rounded values.");
}

// y_ri = s_x s_i Σ_l p_rl q_il + b_i, (M, N), with the sum in 32-bit integers. p is x (M, K) rounded to int8
// with one scale s_x. W (N, K) is in int8; b is (N).
inline Tensor int8_linear(const Tensor& /*x*/, double /*s_x*/, const int8::Matrix& /*W*/,
                          const Tensor& /*b*/) {
  // TODO
  exercise::to_do("Write int8_linear(x, s_x, W, b): round x, add up the products, multiply by both scales.");
}
