#pragma once

#include <gradus/autograd/tensor.hpp>

#include <functional>
#include <memory>
#include <vector>

#include "kit/check.hpp"

/// The constants of algorithm 1, with the paper's default values.
struct AdamOptions {
  double alpha = 1e-3;
  double beta_1 = 0.9;
  double beta_2 = 0.999;
  double epsilon = 1e-8;
};

/// The answer to exercise 04: creates an optimiser for these parameters, and returns its step().
using MakeAdam =
    std::function<std::function<void()>(const std::vector<gradus::Tensor>& parameters, const AdamOptions&)>;

/// Makes the answer from a class that has the constructor and the step() that the exercise requires.
template <class Adam>
MakeAdam maker_of() {
  return [](const std::vector<gradus::Tensor>& parameters, const AdamOptions& o) {
    const auto adam = std::make_shared<Adam>(parameters, o.alpha, o.beta_1, o.beta_2, o.epsilon);
    return [adam] { adam->step(); };
  };
}

exercise::Exercise adam_exercise(const MakeAdam& make);
