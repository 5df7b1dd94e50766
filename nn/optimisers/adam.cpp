#include <gradus/nn/adam.hpp>

#include "optimisers/rule_checks.hpp"
#include "optimisers/rule_values.hpp"

namespace gradus::nn {
namespace {

template <class Rule>
void check_options(const Rule& rule) {
  check_not_negative(Rule::name, "the learning rate", rule.learning_rate);
  check_decay(Rule::name, "beta1", rule.beta1);
  check_decay(Rule::name, "beta2", rule.beta2);
  check_not_negative(Rule::name, "epsilon", rule.epsilon);
  check_not_negative(Rule::name, "weight decay", rule.weight_decay);
}

// The two rules differ in weight decay: Adam adds `into_gradient` · θ to g, and AdamW multiplies θ by `kept`.
template <class Rule>
void adam(const Rule& rule, Update& update, double into_gradient, double kept) {
  const auto t = static_cast<double>(update.t);
  const double step_size = rule.learning_rate / (1 - std::pow(rule.beta1, t));
  const double v_scale = 1 / std::sqrt(1 - std::pow(rule.beta2, t));
  with_values(Rule::name, update, [&]<class T>(T* theta, const T* g, auto averages, std::int64_t n) {
    T *const m = averages(0), *const v = averages(1);
    const auto beta1 = T(rule.beta1), beta2 = T(rule.beta2), new_m = T(1 - rule.beta1),
               new_v = T(1 - rule.beta2);
    const auto rate = T(step_size), scale = T(v_scale), epsilon = T(rule.epsilon), lambda = T(into_gradient),
               keep = T(kept);
    for (std::int64_t i = 0; i < n; ++i) {
      const T decayed = g[i] + lambda * theta[i];
      m[i] = beta1 * m[i] + new_m * decayed;
      v[i] = beta2 * v[i] + new_v * decayed * decayed;
      theta[i] = keep * theta[i] - rate * m[i] / (std::sqrt(v[i]) * scale + epsilon);
    }
  });
}

}  // namespace

void AdamRule::check() const { check_options(*this); }
void AdamRule::update(Update& update) const { adam(*this, update, weight_decay, 1); }

void AdamWRule::check() const { check_options(*this); }
void AdamWRule::update(Update& update) const { adam(*this, update, 0, 1 - learning_rate * weight_decay); }

}  // namespace gradus::nn
