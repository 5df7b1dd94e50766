#include <gradus/models/decode.hpp>
#include <gradus/models/greedy.hpp>

#include <utility>

#include "search/allowed.hpp"
#include "search/source_search.hpp"
#include "search/steps.hpp"

namespace gradus::models {

Choose choose_likeliest(const Constraints& constraints) {
  return [constraints](const Prediction& next, std::int64_t row, std::int64_t /*source*/,
                       std::span<const std::int64_t> written) {
    return Prediction::likeliest(Allowed(next, row, written, constraints).log_probabilities());
  };
}

std::vector<Decoded> greedy(const Ensemble& model, const Tensor& source, const Tensor& lengths,
                            const MaxSteps& max_steps, const Constraints& constraints) {
  check("greedy", constraints);
  return write_tokens(model, source, lengths, steps_of(max_steps, weight_columns(model, lengths)),
                      choose_likeliest(constraints));
}

std::vector<Decoded> greedy(const Ensemble& model, std::span<const data::Pair> pairs,
                            std::int64_t batch_tokens) {
  std::vector<std::vector<std::int64_t>> sources;
  for (const data::Pair& pair : pairs) sources.push_back(pair.source);
  std::vector<Decoded> outputs;
  for (std::vector<Decoded>& found : decode(model, sources, greedy(), {.batch_tokens = batch_tokens})) {
    outputs.push_back(std::move(found.front()));
  }
  return outputs;
}

Search greedy(const Constraints& constraints) {
  check("greedy", constraints);
  return [constraints](const Ensemble& model, const Tensor& source, const Tensor& lengths,
                       const MaxSteps& max_steps) {
    return one_each(greedy(model, source, lengths, max_steps, constraints));
  };
}

SearchSteps greedy_steps(const Constraints& constraints) {
  check("greedy", constraints);
  return [constraints](const WeightColumns& source, const MaxSteps& max_steps) {
    return search_by_choice(source, max_steps.of(source.count), choose_likeliest(constraints));
  };
}

}  // namespace gradus::models
