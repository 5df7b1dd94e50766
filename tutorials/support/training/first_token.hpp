#pragma once

#include <gradus/autograd/random.hpp>
#include <gradus/autograd/tensor.hpp>
#include <gradus/nn/recurrent.hpp>
#include <gradus/plot/curves.hpp>
#include <gradus/plot/heatmap.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "support/page/table.hpp"

/// The task of the tutorials on recurrent networks: remember the first token of a sequence. The first token
/// is one of 8 symbols. Then come `delay` tokens from 8 other symbols. A random guess is right with
/// probability 1/8.
namespace tutorial {

constexpr std::int64_t first_token_symbols = 8;
constexpr std::int64_t first_token_inputs = 2 * first_token_symbols;  ///< size of a one-hot token

struct FirstTokenBatch {
  gradus::Tensor x;       ///< (1 + delay, B, first_token_inputs): one-hot tokens
  gradus::Tensor target;  ///< (B), i64: the index of the first symbol
};

FirstTokenBatch first_token_batch(std::int64_t delay, std::int64_t batch_size, gradus::Generator& generator);

/// Trains a network and a readout of its last state h_T (B, H). Uses Adam on batches of 32, as in tutorial
/// 03; gradients are clipped to a norm of 1. `parameters` are the network's. Returns the accuracy on 1000 new
/// sequences.
double learn_first_token(std::vector<gradus::Tensor> parameters,
                         const std::function<gradus::Tensor(const gradus::Tensor& x)>& h_T, std::int64_t H,
                         std::int64_t delay, std::int64_t steps, gradus::Generator& generator);

/// Trains a recurrent network of the library in the same way. The readout's input is the last h.
double learn_first_token(const gradus::nn::Recurrent& net, std::int64_t delay, std::int64_t steps,
                         gradus::Generator& generator);

/// A heatmap of `units` (T, H): the values of H units while a network reads x (T, 1, first_token_inputs). A
/// row per unit, a column per token. The labels A to H name first tokens, a to h later ones.
gradus::plot::Heatmap by_token(const std::string& title, const gradus::Tensor& units,
                               const gradus::Tensor& x);

/// The accuracies of several models at each delay, as tables and as a chart.
struct FirstTokenModels {
  Table accuracy{.name = "accuracy", .rows_are = "delay", .columns = {"mean", "lowest", "highest"}};
  Table counts{.name = "counts",
               .rows_are = "delay",
               .columns = {"above 0.95", "0.2 to 0.95", "below 0.2"},
               .digits = 0};
  Table each{.name = "each_model", .rows_are = "delay", .columns = {}};  ///< for the page's picture; sorted
  gradus::plot::Series models{.name = "a model", .mark = gradus::plot::Mark::points}, means{.name = "mean"};

  /// Adds the accuracies of all models for this delay. Must be called with increasing delays.
  void add(std::int64_t delay, const std::vector<double>& accuracies);

  /// One dot per model; the dots of a delay are side by side. Also the mean, and the accuracy of guessing.
  gradus::plot::Curves dots() const;
};

}  // namespace tutorial
