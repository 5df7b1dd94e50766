#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/recording.hpp>

#include <algorithm>
#include <cmath>

#include "answer.hpp"

using namespace gradus;

namespace {

// The mistake of a Faulty optimiser.
enum class Fault {
  none,
  own_handle,
  uphill,
  no_hats,
  hat_on_m_alone,
  t_from_0,
  t_stays,
  t_for_each,
  epsilon_inside,
  no_epsilon,
  no_square,
  g_for_its_square,
  no_root,
  forgets,
  hats_kept,
  betas_swapped,
  shared,
  needs_gradients,
  epsilon_before_hat,
  moments_shifted,
  stops_at_missing,
  waits_for_first,
  stale_gradient,
  missing_is_0,
  sums_squares,
  not_averaged,
  t_from_2,
  largest_v,
  clears_gradient,
  changes_gradient,
  squares_gradient,
  f64_alone,
  fixed_alpha,
  fixed_epsilon,
  fixed_betas,
  skips_zero,
  skips_scalars,
  decays,
  hats_exchanged,
  root_of_t,
  nesterov,
  starts_at_g,
  all_or_none,
  m_starts_at_g,
  negative_v,
  divides_by_m,
  limits_step,
  t_behind,
  one_tensor,
};

template <Fault fault>
class Faulty {
 public:
  Faulty(const std::vector<Tensor>& parameters, double alpha, double beta_1, double beta_2, double epsilon)
      : theta_(parameters), alpha_(alpha), beta_1_(beta_1), beta_2_(beta_2), epsilon_(epsilon) {
    if (fault == Fault::betas_swapped) std::swap(beta_1_, beta_2_);
    if (fault == Fault::fixed_alpha) alpha_ = 1e-3;
    if (fault == Fault::fixed_epsilon) epsilon_ = 1e-8;
    if (fault == Fault::fixed_betas) beta_1_ = 0.9, beta_2_ = 0.999;
    for (const Tensor& theta : parameters) {
      m_.push_back(zeros(theta.shape(), fault == Fault::f64_alone ? Dtype::f64 : theta.dtype()));
      v_.push_back(m_.back());
    }
    largest_ = v_;
    last_.resize(parameters.size());
  }

  void step() {
    const NoGrad no_grad;
    if (fault == Fault::waits_for_first && !theta_[0].grad().defined()) return;
    if (fault == Fault::t_stays) t_ = 0;
    if (fault != Fault::t_from_0 && fault != Fault::t_for_each) ++t_;
    used_ = 0;
    const auto has_gradient = [](const Tensor& theta) { return theta.grad().defined(); };
    if (fault == Fault::all_or_none && !std::ranges::all_of(theta_, has_gradient)) return;
    for (std::size_t k = 0; k < theta_.size(); ++k) {
      if (fault == Fault::t_for_each) ++t_;
      if (fault == Fault::stops_at_missing && !theta_[k].grad().defined()) break;
      update(k);
    }
    if (fault == Fault::t_from_0) ++t_;
  }

 private:
  void update(std::size_t k) {
    const Tensor g = gradient(k);
    if (fault == Fault::decays && !g.defined()) m_[k] = beta_1_ * m_[k], v_[k] = beta_2_ * v_[k];
    if (fault != Fault::needs_gradients && !g.defined()) return;
    if (fault == Fault::skips_zero && sum(abs(g)).item() == 0) return;
    if (fault == Fault::skips_scalars && g.rank() == 0) return;
    const std::size_t of = fault == Fault::shared ? 0 : fault == Fault::moments_shifted ? used_++ : k;
    Tensor &m = m_[of], &v = v_[of];
    if (fault == Fault::forgets) m = v = zeros(g.shape(), g.dtype());
    const Tensor square = fault == Fault::no_square ? abs(g) : fault == Fault::g_for_its_square ? g : g * g;
    m = beta_1_ * m + (fault == Fault::not_averaged ? 1 : 1 - beta_1_) * g;
    v = fault == Fault::sums_squares ? v + square : beta_2_ * v + (1 - beta_2_) * square;
    if (fault == Fault::negative_v) v = -v;
    if (fault == Fault::divides_by_m) m = beta_1_ / (m - (1 - beta_1_) * g) + (1 - beta_1_) * g;
    if (fault == Fault::one_tensor) m = v = beta_2_ * m + (1 - beta_2_) * square;
    if (fault == Fault::starts_at_g && t_ == 1) m = g, v = g * g;
    if (fault == Fault::m_starts_at_g && t_ == 1) m = g;
    const double t = fault == Fault::t_behind ? t_ - 1 : t_;
    const bool correct_m = fault != Fault::no_hats && (fault != Fault::t_behind || t > 0),
               correct_v = correct_m && fault != Fault::hat_on_m_alone;
    const double for_m = fault == Fault::hats_exchanged ? beta_2_ : beta_1_,
                 for_v = fault == Fault::hats_exchanged ? beta_1_ : beta_2_;
    Tensor m_hat = correct_m ? m / (1 - std::pow(for_m, t)) : m;
    const Tensor v_hat = correct_v ? v / (1 - std::pow(for_v, t)) : v;
    if (fault == Fault::nesterov) m_hat = beta_1_ * m_hat + (1 - beta_1_) * g / (1 - std::pow(beta_1_, t_));
    if (fault == Fault::hats_kept) m = m_hat, v = v_hat;
    const double epsilon = fault == Fault::no_epsilon ? 0 : epsilon_;
    Tensor size = sqrt(v_hat) + epsilon;
    if (fault == Fault::epsilon_inside) size = sqrt(v_hat + epsilon);
    if (fault == Fault::no_root) size = v_hat + epsilon;
    if (fault == Fault::epsilon_before_hat) size = (sqrt(v) + epsilon) / std::sqrt(1 - std::pow(beta_2_, t_));
    if (fault == Fault::largest_v) size = sqrt(largest_[k] = maximum(largest_[k], v_hat)) + epsilon;
    if (fault == Fault::root_of_t) size = size * std::sqrt(t_);
    if (fault == Fault::limits_step) size = maximum(size, abs(m_hat));
    const Tensor moved = theta_[k] - (fault == Fault::uphill ? -alpha_ : alpha_) * m_hat / size;
    if (fault == Fault::own_handle) {
      theta_[k] = moved;
    } else {
      theta_[k].replace(moved);
    }
    if (fault == Fault::squares_gradient) Tensor(g).replace(square);
    if (fault == Fault::changes_gradient) theta_[k].set_grad(g * 0.0);
    if (fault == Fault::clears_gradient) theta_[k].zero_grad();
  }

  // The gradient of parameter k. If it is missing, returns zeros under Fault::missing_is_0, and the previous
  // gradient under Fault::stale_gradient.
  Tensor gradient(std::size_t k) {
    const Tensor g = theta_[k].grad();
    if (fault == Fault::missing_is_0 && !g.defined()) return zeros(theta_[k].shape(), theta_[k].dtype());
    if (fault != Fault::stale_gradient) return g;
    if (g.defined()) last_[k] = g;
    return last_[k];
  }

  std::vector<Tensor> theta_, m_, v_, largest_, last_;
  double alpha_, beta_1_, beta_2_, epsilon_;
  int t_ = fault == Fault::t_from_2 ? 1 : 0;
  std::size_t used_ = 0;
};

// Updates in place, element by element. Combines both bias corrections into one factor, as section 2 of the
// paper does, but keeps the ε of algorithm 1.
class InPlace {
 public:
  InPlace(const std::vector<Tensor>& parameters, double alpha, double beta_1, double beta_2, double epsilon)
      : theta_(parameters),
        m_(parameters.size()),
        v_(parameters.size()),
        options_{alpha, beta_1, beta_2, epsilon} {}

  void step() {
    power_1_ *= options_.beta_1;
    power_2_ *= options_.beta_2;
    for (std::size_t k = 0; k < theta_.size(); ++k) {
      if (!theta_[k].grad().defined()) continue;
      theta_[k].dtype() == Dtype::f32 ? update<float>(k) : update<double>(k);
    }
  }

 private:
  template <class T>
  void update(std::size_t k) {
    const auto [alpha, beta_1, beta_2, epsilon] = options_;
    const Tensor gradient = theta_[k].grad();
    const std::span<const T> g = gradient.values<T>();
    const std::span<T> theta = theta_[k].mutable_values<T>();
    m_[k].resize(g.size());
    v_[k].resize(g.size());
    const double root = std::sqrt(1 - power_2_), rate = alpha * root / (1 - power_1_);
    for (std::size_t i = 0; i < g.size(); ++i) {
      const auto slope = static_cast<double>(g[i]);
      m_[k][i] += (1 - beta_1) * (slope - m_[k][i]);
      v_[k][i] += (1 - beta_2) * (slope * slope - v_[k][i]);
      theta[i] -= static_cast<T>(rate * m_[k][i] / (std::sqrt(v_[k][i]) + epsilon * root));
    }
  }

  std::vector<Tensor> theta_;
  std::vector<std::vector<double>> m_, v_;
  AdamOptions options_;
  double power_1_ = 1, power_2_ = 1;  // β₁ᵗ, β₂ᵗ
};

// Creates m and v when a parameter gets its first gradient. Counts t per parameter, as PyTorch does.
class Lazy {
 public:
  Lazy(const std::vector<Tensor>& parameters, double alpha, double beta_1, double beta_2, double epsilon)
      : theta_(parameters),
        m_(parameters.size()),
        v_(parameters.size()),
        o_{alpha, beta_1, beta_2, epsilon} {}

  void step() {
    const NoGrad no_grad;
    for (std::size_t k = 0; k < theta_.size(); ++k) {
      const Tensor g = theta_[k].grad();
      if (!g.defined()) continue;
      const auto t = static_cast<double>(++steps_[k]);
      const Tensor m = (1 - o_.beta_1) * g, v = (1 - o_.beta_2) * g * g;
      m_[k] = m_[k].defined() ? m_[k] * o_.beta_1 + m : m;
      v_[k] = v_[k].defined() ? v_[k] * o_.beta_2 + v : v;
      const Tensor root = sqrt(v_[k] / (1 - std::pow(o_.beta_2, t)));
      theta_[k].replace(theta_[k] - o_.alpha / (1 - std::pow(o_.beta_1, t)) * m_[k] / (root + o_.epsilon));
    }
  }

 private:
  std::vector<Tensor> theta_, m_, v_;
  AdamOptions o_;
  std::vector<int> steps_ = std::vector<int>(theta_.size());
};

// Counts the steps of all optimisers in one static variable t.
class SharedCount {
 public:
  SharedCount(const std::vector<Tensor>& parameters, double alpha, double beta_1, double beta_2,
              double epsilon)
      : theta_(parameters), o_{alpha, beta_1, beta_2, epsilon} {
    for (const Tensor& theta : parameters) m_.push_back(zeros(theta.shape(), theta.dtype()));
    v_ = m_;
  }

  void step() {
    static int t = 0;
    const NoGrad no_grad;
    ++t;
    for (std::size_t k = 0; k < theta_.size(); ++k) {
      const Tensor g = theta_[k].grad();
      if (!g.defined()) continue;
      m_[k] = o_.beta_1 * m_[k] + (1 - o_.beta_1) * g;
      v_[k] = o_.beta_2 * v_[k] + (1 - o_.beta_2) * g * g;
      const Tensor root = sqrt(v_[k] / (1 - std::pow(o_.beta_2, t)));
      theta_[k].replace(theta_[k] - o_.alpha / (1 - std::pow(o_.beta_1, t)) * m_[k] / (root + o_.epsilon));
    }
  }

 private:
  std::vector<Tensor> theta_, m_, v_;
  AdamOptions o_;
};

template <class Adam>
exercise::Attempt attempt(const std::string& name, const std::string& mistake) {
  return {name, mistake, adam_exercise(maker_of<Adam>())};
}

}  // namespace

int main() {
  return exercise::bank({
      attempt<Faulty<Fault::none>>("vectors of tensors", ""),
      attempt<InPlace>("in place, element by element", ""),
      attempt<Lazy>("m and v created at the first gradient", ""),
      attempt<Faulty<Fault::clears_gradient>>("clears the gradient afterwards", ""),
      attempt<Faulty<Fault::own_handle>>("rebinds its own handles", "unchanged"),
      attempt<Faulty<Fault::uphill>>("uphill", "uphill"),
      attempt<Faulty<Fault::no_hats>>("no bias correction", "no-hats"),
      attempt<Faulty<Fault::hat_on_m_alone>>("only m̂", "one-hat"),
      attempt<Faulty<Fault::t_from_0>>("t from 0", "t-from-0"),
      attempt<Faulty<Fault::negative_v>>("v is negative", "nan"),
      attempt<Faulty<Fault::divides_by_m>>("β₁ divided by m", "values"),
      attempt<Faulty<Fault::t_stays>>("t stays 1", "t-stays"),
      attempt<Faulty<Fault::t_for_each>>("t counts parameters", "t-for-each"),
      attempt<Faulty<Fault::epsilon_inside>>("ε under the root", "epsilon-inside"),
      attempt<Faulty<Fault::no_epsilon>>("no ε", "no-epsilon"),
      attempt<Faulty<Fault::no_square>>("|g| for g²", "no-square"),
      attempt<Faulty<Fault::g_for_its_square>>("g for g²", "no-square"),
      attempt<Faulty<Fault::no_root>>("no square root", "no-root"),
      attempt<Faulty<Fault::forgets>>("m and v reset at every step", "forgets"),
      attempt<Faulty<Fault::hats_kept>>("m̂ and v̂ stored", "hats-kept"),
      attempt<Faulty<Fault::betas_swapped>>("β₁ and β₂ swapped", "betas-swapped"),
      attempt<Faulty<Fault::shared>>("one m and v for all", "shared-moments"),
      attempt<Faulty<Fault::needs_gradients>>("requires every gradient", "error"),
      attempt<Faulty<Fault::f64_alone>>("m and v in f64", "error"),
      attempt<Faulty<Fault::epsilon_before_hat>>("ε before the hat", "epsilon-before-hat"),
      attempt<Faulty<Fault::moments_shifted>>("m and v counted by gradients", "moments-shifted"),
      attempt<Faulty<Fault::stops_at_missing>>("stops at a missing gradient", "stops-at-missing"),
      attempt<Faulty<Fault::waits_for_first>>("waits for the first parameter's gradient", "stops-at-missing"),
      attempt<Faulty<Fault::stale_gradient>>("old gradient used again", "moves-without-gradient"),
      attempt<Faulty<Fault::missing_is_0>>("missing gradient taken as 0", "moves-without-gradient"),
      attempt<Faulty<Fault::one_tensor>>("m and v in one tensor", "one-tensor"),
      attempt<Faulty<Fault::sums_squares>>("squares summed", "sums-squares"),
      attempt<Faulty<Fault::not_averaged>>("g for (1 − β₁) g", "not-averaged"),
      attempt<Faulty<Fault::t_from_2>>("t from 2", "t-from-2"),
      attempt<Faulty<Fault::largest_v>>("the largest v̂ so far", "largest-v"),
      attempt<Faulty<Fault::changes_gradient>>("sets the gradient to 0", "changes-gradient"),
      attempt<Faulty<Fault::squares_gradient>>("g² in the place of g", "changes-gradient"),
      attempt<SharedCount>("one t for all optimisers", "remembers"),
      attempt<Faulty<Fault::fixed_alpha>>("α = 0.001", "constant"),
      attempt<Faulty<Fault::fixed_epsilon>>("ε = 1e-8", "constant"),
      attempt<Faulty<Fault::fixed_betas>>("β₁ = 0.9, β₂ = 0.999", "constant"),
      attempt<Faulty<Fault::skips_zero>>("a gradient of 0 skipped", "zero-skipped"),
      attempt<Faulty<Fault::skips_scalars>>("scalars skipped", "one-unchanged"),
      attempt<Faulty<Fault::decays>>("m and v decay without a gradient", "moments-decay"),
      attempt<Faulty<Fault::hats_exchanged>>("β₁ and β₂ exchanged in the corrections", "hats-exchanged"),
      attempt<Faulty<Fault::root_of_t>>("α / √t", "decaying-rate"),
      attempt<Faulty<Fault::nesterov>>("NAdam", "nesterov"),
      attempt<Faulty<Fault::starts_at_g>>("m and v begin at the first gradient", "starts-at-g"),
      attempt<Faulty<Fault::all_or_none>>("returns at a missing gradient", "all-or-none"),
      attempt<Faulty<Fault::m_starts_at_g>>("m begins at the first gradient", "starts-at-g"),
      attempt<Faulty<Fault::limits_step>>("the step limited to ±α", "limited"),
      attempt<Faulty<Fault::t_behind>>("t incremented after the step, 1 − β⁰ left out", "t-behind"),
  });
}
