#include <gradus/find_row.hpp>
#include <gradus/nn/optim.hpp>
#include <gradus/nn/optimisers.hpp>

#include <array>

namespace gradus::nn {
namespace {

template <class Rule>
OptimiserKind kind(std::string_view name) {
  return {.name = name,
          .learning_rate = Rule().learning_rate,
          .weight_decay = Rule().weight_decay,
          .averages = static_cast<int>(Rule().averages().size()),
          .make = [](const std::vector<Tensor>& parameters, double learning_rate,
                     double weight_decay) -> std::unique_ptr<Optimiser> {
            Rule rule;
            rule.learning_rate = learning_rate;
            rule.weight_decay = weight_decay;
            return std::make_unique<OptimiserOf<Rule>>(parameters, rule);
          }};
}

}  // namespace

std::span<const OptimiserKind> optimisers() {
  static const std::array all{kind<AdamRule>("adam"),       kind<AdamWRule>("adamw"),
                              kind<SGDRule>("sgd"),         kind<AdadeltaRule>("adadelta"),
                              kind<RMSpropRule>("rmsprop"), kind<AdagradRule>("adagrad")};
  return all;
}

const OptimiserKind& find_optimiser(std::string_view name) {
  return find_row("find_optimiser", "optimiser", name, optimisers(), &OptimiserKind::name);
}

}  // namespace gradus::nn
