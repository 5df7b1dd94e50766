#include <gradus/autograd/checks.hpp>
#include <gradus/nn/projected_query.hpp>

#include <utility>

namespace gradus::nn {

ProjectedQuery::ProjectedQuery(std::int64_t query_size, std::int64_t value_size,
                               std::unique_ptr<Attention> attention)
    : W_a(query_size, value_size, false), score(std::move(attention)) {
  if (!score) fail("ProjectedQuery", "the given attention is null");
  add_module("W_a", W_a);
  add_module("score", *score);
}

Memory ProjectedQuery::prepare(const Tensor& values, const Tensor& lengths) const {
  const Scope scope = enter();
  return score->prepare(values, lengths);
}

Attention::Result ProjectedQuery::attend(const Tensor& query, const Memory& memory, std::int64_t step,
                                         const Tensor& previous_weights) const {
  const Scope scope = enter();
  return score->attend(W_a.forward(query), memory, step, previous_weights);
}

std::optional<AttentionScore> ProjectedQuery::fused_score(std::int64_t value_size) const {
  if (!is_exactly<ProjectedQuery>()) return std::nullopt;
  std::optional<AttentionScore> projected = score->fused_score(value_size);
  // Returns nothing if `score` itself has a matrix for the query: two projections are not supported.
  if (!projected || projected->W_a.defined()) return std::nullopt;
  projected->W_a = W_a.weight;
  return projected;
}

}  // namespace gradus::nn
