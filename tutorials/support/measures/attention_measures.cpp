#include "attention_measures.hpp"

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/recording.hpp>
#include <gradus/models/forced_decoding.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>

namespace tutorial {

using gradus::Tensor;
namespace data = gradus::data;
namespace models = gradus::models;

// In step t, ln α_tj is e_tj minus a number that is the same for all j. So both have the same standard
// deviation over j.
double energy_spread(const models::Seq2Seq& model, const std::vector<data::Pair>& pairs) {
  const gradus::NoGrad no_grad;
  double total = 0;
  for (const models::Forced& forced : models::force_decode(model, pairs)) {
    const Tensor e =
        log(clamp(forced.weights, 1e-30, 1));  // (steps, T): in each row, the energies minus a constant
    total += mean(sqrt(variance(e, {1}, false, 0))).item();
  }
  return total / static_cast<double>(pairs.size());
}

void add_sorted_row(gradus::plot::Heatmap& map, const std::string& name, const Tensor& weights) {
  const std::int64_t N = weights.size(0), T = weights.size(1);
  std::vector<double> means(static_cast<std::size_t>(T));
  for (std::int64_t n = 0; n < N; ++n) {
    std::vector<double> row = weights[n].to_vector<double>();
    std::ranges::sort(row, std::ranges::greater());
    for (std::size_t j = 0; j < row.size(); ++j) means[j] += row[j] / static_cast<double>(N);
  }
  if (map.columns.empty())
    for (std::int64_t j = 1; j <= T; ++j) map.columns.push_back(std::to_string(j));
  map.rows.push_back(name);
  map.values.insert(map.values.end(), means.begin(), means.end());
}

}  // namespace tutorial
