#pragma once

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/recording.hpp>

#include <cmath>
#include <vector>

using namespace gradus;

// Kingma and Ba (2015), algorithm 1.
class Adam {
 public:
  Adam(const std::vector<Tensor>& parameters, double alpha, double beta_1, double beta_2, double epsilon)
      : alpha_(alpha), beta_1_(beta_1), beta_2_(beta_2), epsilon_(epsilon) {
    for (const Tensor& theta : parameters) {
      const Tensor zero = zeros(theta.shape(), theta.dtype());
      entries_.push_back({theta, zero, zero});
    }
  }

  void step() {
    const NoGrad no_grad;  // the update is not recorded
    ++t_;
    for (auto& [theta, m, v] : entries_) {  // equal shapes
      const Tensor g = theta.grad();
      if (!g.defined()) continue;
      m = beta_1_ * m + (1 - beta_1_) * g;
      v = beta_2_ * v + (1 - beta_2_) * g * g;
      const Tensor m_hat = m / (1 - std::pow(beta_1_, t_));
      const Tensor v_hat = v / (1 - std::pow(beta_2_, t_));
      theta.replace(theta - alpha_ * m_hat / (sqrt(v_hat) + epsilon_));
    }
  }

 private:
  struct Entry {
    Tensor theta, m, v;
  };

  double alpha_, beta_1_, beta_2_, epsilon_;
  int t_ = 0;  // 1 at the first step
  std::vector<Entry> entries_;
};
