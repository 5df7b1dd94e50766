#include <gradus/nn/sgd.hpp>

#include "optimisers/rule_checks.hpp"
#include "optimisers/rule_values.hpp"

namespace gradus::nn {

void SGDRule::check() const {
  check_not_negative(name, "the learning rate", learning_rate);
  check_not_negative(name, "momentum", momentum);
  check_not_negative(name, "weight decay", weight_decay);
  if (!std::isfinite(dampening)) fail(name, "dampening must be finite, and is ", dampening);
  if (nesterov && (momentum == 0 || dampening != 0)) {
    fail(name, "Nesterov's momentum needs a momentum above 0 and no dampening, and got ", momentum, " and ",
         dampening);
  }
}

std::vector<std::string> SGDRule::averages() const {
  return momentum == 0 ? std::vector<std::string>{} : std::vector<std::string>{"b"};
}

void SGDRule::update(Update& update) const {
  const bool first = update.t == 1;
  with_values(name, update, [&]<class T>(T* theta, const T* g, auto averages, std::int64_t n) {
    const auto eta = T(learning_rate), lambda = T(weight_decay);
    if (momentum == 0) {
      for (std::int64_t i = 0; i < n; ++i) theta[i] -= eta * (g[i] + lambda * theta[i]);
      return;
    }
    T* b = averages(0);
    const auto keep = T(first ? 0 : momentum), take = T(first ? 1 : 1 - dampening);
    const auto of_g = T(nesterov ? 1 : 0), of_b = T(nesterov ? momentum : 1);
    for (std::int64_t i = 0; i < n; ++i) {
      const T decayed = g[i] + lambda * theta[i];
      b[i] = keep * b[i] + take * decayed;
      theta[i] -= eta * (of_g * decayed + of_b * b[i]);
    }
  });
}

}  // namespace gradus::nn
