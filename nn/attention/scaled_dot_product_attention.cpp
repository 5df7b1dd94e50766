#include <gradus/autograd/ops.hpp>
#include <gradus/nn/scaled_dot_product_attention.hpp>

#include <cmath>

namespace gradus::nn {

Tensor ScaledDotProductAttention::energies(const Tensor& query, const Memory& memory, std::int64_t step,
                                           const Tensor& previous_weights) const {
  const auto D = static_cast<double>(memory.values.size(-1));
  return DotProductAttention::energies(query, memory, step, previous_weights) / std::sqrt(D);
}

std::optional<AttentionScore> ScaledDotProductAttention::fused_score(std::int64_t value_size) const {
  if (!can_be_fused<ScaledDotProductAttention>()) return std::nullopt;
  return AttentionScore{.scale = 1 / std::sqrt(static_cast<double>(value_size)), .dropout = dropout()};
}

}  // namespace gradus::nn
