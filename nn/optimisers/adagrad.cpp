#include <gradus/nn/adagrad.hpp>

#include "optimisers/rule_checks.hpp"
#include "optimisers/rule_values.hpp"

namespace gradus::nn {

void AdagradRule::check() const {
  check_not_negative(name, "the learning rate", learning_rate);
  check_not_negative(name, "the decay of the learning rate", learning_rate_decay);
  check_not_negative(name, "weight decay", weight_decay);
  check_not_negative(name, "epsilon", epsilon);
}

void AdagradRule::update(Update& update) const {
  const double decayed_rate = learning_rate / (1 + static_cast<double>(update.t - 1) * learning_rate_decay);
  with_values(name, update, [&]<class T>(T* theta, const T* g, auto averages, std::int64_t n) {
    T* s = averages(0);
    const auto rate = T(decayed_rate), lambda = T(weight_decay), eps = T(epsilon);
    for (std::int64_t i = 0; i < n; ++i) {
      const T decayed = g[i] + lambda * theta[i];
      s[i] += decayed * decayed;
      theta[i] -= rate * decayed / (std::sqrt(s[i]) + eps);
    }
  });
}

}  // namespace gradus::nn
