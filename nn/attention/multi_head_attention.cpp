#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/nn/init.hpp>
#include <gradus/nn/multi_head_attention.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include "module/sizes.hpp"

namespace gradus::nn {
namespace {

// The number of leading keys that each query of each head sees, (B·heads·T_q). Undefined if every query sees
// all keys.
Tensor visible(const AttentionMask& mask, const Shape& energies) {
  if (!mask.lengths.defined() && !mask.causal) return {};
  const std::int64_t B = energies[0], heads = energies[1], T_q = energies[2], T_k = energies[3];
  std::vector<std::int64_t> keys;
  for (std::int64_t b = 0; b < B; ++b) {
    const std::int64_t length = length_of(mask.lengths, b, T_k);
    for (std::int64_t row = 0; row < heads * T_q; ++row) {
      keys.push_back(mask.causal ? std::min(length, row % T_q + 1) : length);
    }
  }
  return tensor(keys);
}

void check_sequences(const Tensor& query, const Tensor& keys, const Tensor& values) {
  const bool fit = query.rank() == 3 && keys.rank() == 3 && values.rank() == 3 &&
                   keys.size(1) == query.size(1) && values.shape().without(2) == keys.shape().without(2);
  if (!fit) {
    fail("MultiHeadAttention", "needs queries (T_q, B, E), keys (T_k, B, ·) and values (T_k, B, ·), and got ",
         query.shape(), ", ", keys.shape(), " and ", values.shape());
  }
}

}  // namespace

MultiHeadAttention::MultiHeadAttention(std::int64_t size, std::int64_t heads, MultiHeadOptions options)
    : out_proj(checked_size("MultiHeadAttention", "a size", size), size, options.bias),
      heads_(heads),
      dropout_(options.dropout) {
  if (heads < 1 || size % heads != 0) {
    fail("MultiHeadAttention", "the number of heads must be at least 1 and divide the size ", size,
         ", and is ", heads);
  }
  const auto or_size = [size](const char* what, std::int64_t given) {
    return given == 0 ? size : checked_size("MultiHeadAttention", what, given);
  };
  const std::int64_t key_size = or_size("keys", options.key_size);
  const std::int64_t value_size = or_size("values", options.value_size);
  if (key_size == size && value_size == size) {
    in_proj_weight_ = add_parameter("in_proj_weight", xavier_uniform({3 * size, size}));
  } else {
    proj_weight_ = {add_parameter("q_proj_weight", xavier_uniform({size, size})),
                    add_parameter("k_proj_weight", xavier_uniform({size, key_size})),
                    add_parameter("v_proj_weight", xavier_uniform({size, value_size}))};
  }
  if (options.bias) {
    in_proj_bias_ = add_parameter("in_proj_bias", zeros({3 * size}));
    Tensor(out_proj.bias).replace(zeros({size}));
  }
  add_module("out_proj", out_proj);
  add_module("dropout", dropout_);
}

// The projection x Wᵀ + b for q, k or v: (T, B, E).
Tensor MultiHeadAttention::project(Part part, const Tensor& x) const {
  const std::int64_t E = out_proj.weight.size(0);
  const auto rows = [&](const Tensor& all) {
    return all.defined() ? all.slice(part * E, (part + 1) * E) : Tensor();
  };
  return linear(x, in_proj_weight_.defined() ? rows(in_proj_weight_) : proj_weight_[part],
                rows(in_proj_bias_));
}

// Reshapes (T, B, E) to (B, heads, T, d).
Tensor MultiHeadAttention::split_heads(const Tensor& x) const {
  return permute(x.reshape({x.size(0), x.size(1), heads_, x.size(2) / heads_}), {1, 2, 0, 3});
}

// Computes attention from projected queries, keys and values.
MultiHeadAttention::Output MultiHeadAttention::attend_projected(const Tensor& query, const Tensor& keys,
                                                                const Tensor& values,
                                                                const AttentionMask& mask) const {
  check_lengths("MultiHeadAttention", mask.lengths, keys.size(1), keys.size(0));
  const Tensor Q = split_heads(query), K = split_heads(keys), V = split_heads(values);
  const Tensor e =
      matmul(Q / std::sqrt(static_cast<double>(Q.size(-1))), transpose(K, 2, 3));  // (B, heads, T_q, T_k)
  const Tensor alpha =
      masked_softmax(e.reshape({e.shape().without(3).numel(), e.size(3)}), visible(mask, e.shape()))
          .reshape(e.shape());
  const Tensor heads = permute(matmul(dropout_.forward(alpha), V), {2, 0, 1, 3});  // (T_q, B, heads, d)
  return {out_proj.forward(heads.reshape(query.shape())), alpha};
}

MultiHeadAttention::Output MultiHeadAttention::forward(const Tensor& query, const Tensor& keys,
                                                       const Tensor& values,
                                                       const AttentionMask& mask) const {
  const Scope scope = enter();
  check_sequences(query, keys, values);
  return attend_projected(project(q, query), project(k, keys), project(v, values), mask);
}

Memory MultiHeadAttention::prepare(const Tensor& values, const Tensor& lengths) const {
  const Memory memory = Attention::prepare(values, lengths);
  const Scope scope = enter();
  return {project(v, memory.values), project(k, memory.values), memory.lengths};
}

Attention::Result MultiHeadAttention::attend(const Tensor& query, const Memory& memory, std::int64_t /*step*/,
                                             const Tensor& /*previous_weights*/) const {
  const Scope scope = enter();
  const Tensor queries = unsqueeze(query, 0);  // (1, B, E)
  check_sequences(queries, memory.keys, memory.values);
  const auto [output, weights] =
      attend_projected(project(q, queries), memory.keys, memory.values, {memory.lengths});
  return {output[0], mean(weights, {1, 2})};
}

}  // namespace gradus::nn
