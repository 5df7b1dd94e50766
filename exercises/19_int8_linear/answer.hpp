#pragma once

#include <gradus/autograd/tensor.hpp>

#include <functional>

#include "kit/check.hpp"
#include "matrix.hpp"

/// The answer to exercise 19.
struct Int8Linear {
  using Tensor = gradus::Tensor;
  std::function<std::int8_t(double x, double s)> to_int8;
  std::function<int8::Matrix(const Tensor& W)> quantise_rows;
  std::function<Tensor(const Tensor& x, double s_x, const int8::Matrix& W, const Tensor& b)> linear;
};

exercise::Exercise int8_linear_exercise(const Int8Linear& answer);
