#include <gradus/autograd/ops.hpp>
#include <gradus/nn/dot_product_attention.hpp>

namespace gradus::nn {

Tensor DotProductAttention::energies(const Tensor& query, const Memory& memory, std::int64_t /*step*/,
                                     const Tensor& /*previous_weights*/) const {
  if (query.shape() != memory.values.shape().without(0)) {
    fail("DotProductAttention", "the query is ", query.shape(), " and must be ",
         memory.values.shape().without(0), " for values ", memory.values.shape(),
         "; if the sizes differ, project one of them (nn::Linear) or use AdditiveAttention");
  }
  return transpose(sum(memory.values * query, 2), 0, 1);  // values (T, B, D), query (B, D), sum (T, B)
}

std::optional<AttentionScore> DotProductAttention::fused_score(std::int64_t /*value_size*/) const {
  if (!can_be_fused<DotProductAttention>()) return std::nullopt;
  return AttentionScore{.dropout = dropout()};
}

}  // namespace gradus::nn
