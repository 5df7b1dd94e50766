#include <gradus/nn/rmsprop.hpp>

#include "optimisers/rule_checks.hpp"
#include "optimisers/rule_values.hpp"

namespace gradus::nn {

void RMSpropRule::check() const {
  check_not_negative(name, "the learning rate", learning_rate);
  check_decay(name, "alpha", alpha);
  check_not_negative(name, "epsilon", epsilon);
  check_not_negative(name, "weight decay", weight_decay);
  check_not_negative(name, "momentum", momentum);
}

std::vector<std::string> RMSpropRule::averages() const {
  std::vector<std::string> names{"v"};
  if (centered) names.emplace_back("g_ave");
  if (momentum > 0) names.emplace_back("b");
  return names;
}

void RMSpropRule::update(Update& update) const {
  with_values(name, update, [&]<class T>(T* theta, const T* g, auto averages, std::int64_t n) {
    const auto eta = T(learning_rate), keep = T(alpha), take = T(1 - alpha), eps = T(epsilon),
               lambda = T(weight_decay), mu = T(momentum);
    const auto loop = [&](auto with_mean, auto with_momentum) {
      T* v = averages(0);
      T* g_ave = with_mean ? averages(1) : nullptr;
      T* b = with_momentum ? averages(with_mean ? 2 : 1) : nullptr;
      for (std::int64_t i = 0; i < n; ++i) {
        const T decayed = g[i] + lambda * theta[i];
        T variance = v[i] = keep * v[i] + take * decayed * decayed;
        if constexpr (with_mean) {
          g_ave[i] = keep * g_ave[i] + take * decayed;
          variance -= g_ave[i] * g_ave[i];
        }
        T delta = decayed / (std::sqrt(variance) + eps);
        if constexpr (with_momentum) delta = b[i] = mu * b[i] + delta;
        theta[i] -= eta * delta;
      }
    };
    // Compiles the loop once for each combination of the two options, so that the loop need not test them.
    const auto choose = [&](auto with_mean) {
      momentum > 0 ? loop(with_mean, std::true_type()) : loop(with_mean, std::false_type());
    };
    centered ? choose(std::true_type()) : choose(std::false_type());
  });
}

}  // namespace gradus::nn
