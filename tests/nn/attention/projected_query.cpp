// ProjectedQuery: gives any attention a projected query.

#include <gradus/nn/dot_product_attention.hpp>
#include <gradus/nn/projected_query.hpp>

#include "nn/helpers.hpp"

namespace nn = gradus::nn;
using gradus::Tensor;

namespace {

// An attention that makes its own keys. Its context is the sum of the query and the key at the position
// `step`.
class Echo : public nn::Attention {
 public:
  nn::Memory prepare(const Tensor& values, const Tensor& lengths) const override {
    return {.values = values, .keys = 2 * values, .lengths = lengths};
  }
  Result attend(const Tensor& query, const nn::Memory& memory, std::int64_t step,
                const Tensor& previous_weights) const override {
    return {.context = query + memory.keys[step], .weights = previous_weights};
  }
};

}  // namespace

TEST_CASE("ProjectedQuery passes the projected query and all other arguments on", "[nn][attention]") {
  gradus::Generator generator(1);
  nn::ProjectedQuery attention(2, 3, std::make_unique<Echo>());
  attention.to(gradus::Dtype::f64);
  const Tensor values = random({5, 4, 3}, generator), query = random({4, 2}, generator),
               previous = random({4, 5}, generator);
  const nn::Memory memory = attention.prepare(values, integers({5, 2, 3, 1}));
  CHECK(memory.lengths.to_vector<std::int64_t>() == Ids{5, 2, 3, 1});
  const auto [context, weights] = attention.attend(query, memory, 1, previous);
  CHECK(mismatch(context, matmul(query, transpose(attention.W_a.weight, 0, 1)) + 2 * values[1], rounding) ==
        "");
  CHECK(weights.is(previous));
}

TEST_CASE("the score of a class derived from ProjectedQuery is not fused", "[nn][attention]") {
  class Own : public nn::ProjectedQuery {
    using ProjectedQuery::ProjectedQuery;
  };
  const auto dot = [] { return std::make_unique<nn::DotProductAttention>(); };
  CHECK(nn::ProjectedQuery(2, 3, dot()).fused_score(3));
  CHECK(!Own(2, 3, dot()).fused_score(3));
}

TEST_CASE("a projected query needs an attention", "[nn][attention][errors]") {
  CHECK_ERROR(nn::ProjectedQuery(2, 3, nullptr), "ProjectedQuery: the given attention is null");
}
