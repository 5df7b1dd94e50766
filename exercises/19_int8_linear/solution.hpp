#pragma once

#include <gradus/autograd/ops.hpp>

#include <algorithm>
#include <cmath>

#include "19_int8_linear/matrix.hpp"

using namespace gradus;

// x / s, rounded to the nearest integer and limited to −127 … 127; 0 if s = 0.
inline std::int8_t to_int8(double x, double s) {
  return s == 0 ? std::int8_t{0} : static_cast<std::int8_t>(std::clamp(std::nearbyint(x / s), -127.0, 127.0));
}

// W (N, K) in int8, with the scale s_i = max_j |W_ij| / 127 for each row i.
inline int8::Matrix quantise_rows(const Tensor& W) {
  int8::Matrix matrix{W.size(0), W.size(1), {}, {}};
  for (std::int64_t i = 0; i < matrix.rows; ++i) {
    const std::vector<double> row = W[i].to_vector<double>();
    double largest = 0;
    for (const double w : row) largest = std::max(largest, std::abs(w));
    matrix.s.push_back(largest / 127);
    for (const double w : row) matrix.q.push_back(to_int8(w, matrix.s.back()));
  }
  return matrix;
}

// y_ri = s_x s_i Σ_l p_rl q_il + b_i, (M, N), with the sum in 32-bit integers. p is x (M, K) rounded to int8
// with one scale s_x. W (N, K) is in int8; b is (N).
inline Tensor int8_linear(const Tensor& x, double s_x, const int8::Matrix& W, const Tensor& b) {
  const std::vector<double> bias = b.to_vector<double>();
  std::vector<double> y;
  for (std::int64_t r = 0; r < x.size(0); ++r) {
    std::vector<std::int8_t> p;
    for (const double value : x[r].to_vector<double>()) p.push_back(to_int8(value, s_x));
    for (std::size_t i = 0; i < W.s.size(); ++i) {
      std::int32_t sum = 0;
      for (std::size_t l = 0; l < p.size(); ++l) sum += p[l] * W.q[i * p.size() + l];
      y.push_back(s_x * W.s[i] * sum + bias[i]);
    }
  }
  return tensor(y, {x.size(0), W.rows});
}
