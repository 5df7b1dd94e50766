#pragma once

#include <gradus/data/reversal.hpp>
#include <gradus/models/seq2seq.hpp>
#include <gradus/plot/heatmap.hpp>

#include <string>
#include <vector>

/// Measures that compare kinds of attention score, in addition to the model's accuracy.
namespace tutorial {

/// The standard deviation of a model's energies over a source's tokens, averaged over the steps of each pair
/// and then over the pairs.
double energy_spread(const gradus::models::Seq2Seq& model, const std::vector<gradus::data::Pair>& pairs);

/// Adds a row with this name to `map`: the weights (N, T), sorted from the largest to the smallest and
/// averaged over N.
void add_sorted_row(gradus::plot::Heatmap& map, const std::string& name, const gradus::Tensor& weights);

}  // namespace tutorial
