#include <gradus/models/optimisers.hpp>
#include <gradus/nn/optim.hpp>

#include <array>

#include "model/find_row.hpp"

namespace gradus::models {
namespace {

template <class Rule>
OptimiserKind kind(std::string_view name) {
  return {.name = name,
          .learning_rate = Rule().learning_rate,
          .weight_decay = Rule().weight_decay,
          .averages = static_cast<int>(Rule().averages().size()),
          .make = [](const std::vector<Tensor>& parameters, double learning_rate,
                     double weight_decay) -> std::unique_ptr<nn::Optimiser> {
            Rule rule;
            rule.learning_rate = learning_rate;
            rule.weight_decay = weight_decay;
            return std::make_unique<nn::OptimiserOf<Rule>>(parameters, rule);
          }};
}

}  // namespace

std::span<const OptimiserKind> optimisers() {
  static const std::array all{kind<nn::AdamRule>("adam"),       kind<nn::AdamWRule>("adamw"),
                              kind<nn::SGDRule>("sgd"),         kind<nn::AdadeltaRule>("adadelta"),
                              kind<nn::RMSpropRule>("rmsprop"), kind<nn::AdagradRule>("adagrad")};
  return all;
}

const OptimiserKind& find_optimiser(std::string_view name) {
  return find_row("Trainer", "optimiser", name, optimisers(), &OptimiserKind::name);
}

}  // namespace gradus::models
