#pragma once

#include <gradus/nn/optimiser.hpp>

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::nn {

/// An optimiser that models::TrainerOptions selects by name. The learning rate and the weight decay can be
/// set; other options have the rule's defaults.
struct OptimiserKind {
  std::string_view name;
  double learning_rate;  ///< the rule's default
  double weight_decay;   ///< the rule's default, λ
  int averages;          ///< number of running values per parameter
  std::unique_ptr<Optimiser> (*make)(const std::vector<Tensor>& parameters, double learning_rate,
                                     double weight_decay);
};

/// All optimisers: adam, adamw, sgd and so on.
std::span<const OptimiserKind> optimisers();

/// The optimiser of this name. @throws Error for an unknown name, listing the known ones.
const OptimiserKind& find_optimiser(std::string_view name);

}  // namespace gradus::nn
#pragma GCC visibility pop
