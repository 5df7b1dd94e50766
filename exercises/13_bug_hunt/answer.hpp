#pragma once

#include <gradus/autograd/tensor.hpp>

#include <functional>
#include <vector>

#include "kit/check.hpp"

/// The answer to exercise 13: the four corrected functions.
struct BugHunt {
  using Tensor = gradus::Tensor;
  std::function<Tensor(const Tensor& x, const Tensor& W, const Tensor& U)> read_backward;
  std::function<Tensor(const Tensor& s, const Tensor& h, const Tensor& W_a, const Tensor& U_a,
                       const Tensor& v_a)>
      energies;
  std::function<Tensor(const Tensor& e, const Tensor& lengths)> weights;
  std::function<void(const std::vector<Tensor>& parameters, const std::function<Tensor()>& loss, double rate)>
      descend;
};

exercise::Exercise bug_hunt_exercise(const BugHunt& answer);
