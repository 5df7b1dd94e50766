#pragma once

#include <gradus/autograd/tensor.hpp>

#include <functional>

#include "kit/check.hpp"

/// The answer to exercise 18.
struct LogAddExp {
  using Tensor = gradus::Tensor;
  std::function<Tensor(const Tensor& g, const gradus::Shape& shape)> sum_to;
  std::function<Tensor(const Tensor& a, const Tensor& b)> log_add_exp;  ///< ln(e^a + e^b), one node
};

exercise::Exercise log_add_exp_exercise(const LogAddExp& answer);
