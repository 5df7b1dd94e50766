#include <gradus/nn/adadelta.hpp>

#include "optimisers/rule_checks.hpp"
#include "optimisers/rule_values.hpp"

namespace gradus::nn {

void AdadeltaRule::check() const {
  check_not_negative(name, "the learning rate", learning_rate);
  check_decay(name, "rho", rho);
  check_not_negative(name, "epsilon", epsilon);
  check_not_negative(name, "weight decay", weight_decay);
}

void AdadeltaRule::update(Update& update) const {
  with_values(name, update, [&]<class T>(T* theta, const T* g, auto averages, std::int64_t n) {
    T *v = averages(0), *u = averages(1);
    const auto eta = T(learning_rate), keep = T(rho), take = T(1 - rho), eps = T(epsilon),
               lambda = T(weight_decay);
    for (std::int64_t i = 0; i < n; ++i) {
      const T decayed = g[i] + lambda * theta[i];
      v[i] = keep * v[i] + take * decayed * decayed;
      const T delta = std::sqrt(u[i] + eps) / std::sqrt(v[i] + eps) * decayed;
      u[i] = keep * u[i] + take * delta * delta;
      theta[i] -= eta * delta;
    }
  });
}

}  // namespace gradus::nn
