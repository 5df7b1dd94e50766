#pragma once

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>

#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "answer.hpp"
#include "kit/expect.hpp"

/// The parts of the checker: one step, and the padded batch.
namespace cho_gru {

using exercise::Mistake;
using exercise::Plain;
using exercise::Suspect;
using gradus::Dtype;
using gradus::Tensor;
using Weights = gradus::nn::RecurrentWeights;

struct Sizes {
  std::int64_t inputs = 5, hidden = 3;  ///< I, H
};

/// Random weights in f64. Each seed gives different weights.
Weights random_weights(const Sizes& n, std::uint64_t seed = 1);
Weights in_dtype(const Weights& p, Dtype dtype);
/// The weights with their names, to compare them before and after a call.
std::vector<std::pair<std::string, Tensor>> named(const Weights& p);

/// The numbers from which one unit computes its new state.
struct Unit {
  double r, z, h;                                    ///< the gates, and the old state
  double x_n, b_in, b_hn;                            ///< W_in x without its bias, and the two biases
  double of_h, of_reset, of_inverted, of_z, across;  ///< W_hn h, W_hn (r∘h), W_hn ((1 − r)∘h), W_hn (z∘h),
                                                     ///< W_hnᵀ (r∘h)
};

double sigmoid_of(double x);

/// A variant of the equations. The default values give the right step.
struct Form {
  std::array<int, 3> blocks{0, 1, 2};  ///< block index of r, z and n
  bool interleaved = false;            ///< row 3k + block in place of H · block + k
  bool transposed = false;             ///< W_hr and W_hz are transposed
  bool z_of_reset = false;             ///< z is computed from r ∘ h
  double recurrence = 1;               ///< factor of W_hr h and W_hz h
  double bias_ih = 1, bias_hh = 1;     ///< factors of the biases of r and z
  double (*gate)(double) = sigmoid_of;
  double (*candidate)(const Unit& u) = [](const Unit& u) {
    return std::tanh(u.x_n + u.b_in + u.of_reset + u.b_hn);
  };
  double (*next)(const Unit& u, double n) = [](const Unit& u, double n) { return (1 - u.z) * n + u.z * u.h; };
};

/// h′, in plain loops.
Plain plain_step(const Weights& p, const Plain& x, const Plain& h, const Form& form = {});

struct WrongStep {
  Mistake mistake;
  Form form;
};
/// The known mistakes in a step.
std::vector<WrongStep> wrong_steps();

std::vector<exercise::Stage> step_stages(const ChoGru& answer);
std::vector<exercise::Stage> padded_stages(const ChoGru& answer);

}  // namespace cho_gru
