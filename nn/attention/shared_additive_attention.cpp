#include <gradus/autograd/fused.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/nn/init.hpp>
#include <gradus/nn/shared_additive_attention.hpp>

#include "module/sizes.hpp"

namespace gradus::nn {
namespace {

// Returns the query's size. Throws unless both sizes are at least 1 and the size of the values is a multiple
// of the query's size.
std::int64_t checked_query(std::int64_t query_size, std::int64_t value_size) {
  checked_size("SharedAdditiveAttention", "queries", query_size);
  checked_size("SharedAdditiveAttention", "values", value_size);
  if (value_size % query_size != 0) {
    fail("SharedAdditiveAttention", "the size of the values, ", value_size,
         ", must be a multiple of the query's size, ", query_size,
         "; give encoder and decoder the same hidden size (--hidden), or use AdditiveAttention");
  }
  return query_size;
}

}  // namespace

SharedAdditiveAttention::SharedAdditiveAttention(std::int64_t query_size, std::int64_t value_size,
                                                 std::int64_t energy_size, double dropout)
    : ScoredAttention(dropout),
      W_a(checked_query(query_size, value_size), energy_size, false),
      v_a(add_parameter("v_a", uniform_fan_in({energy_size}, energy_size))),
      parts_(value_size / query_size) {
  add_module("W_a", W_a);
}

// W_a is linear, so one product with the sum of the parts gives the sum of the products.
Memory SharedAdditiveAttention::prepare(const Tensor& values, const Tensor& lengths) const {
  Memory memory = Attention::prepare(values, lengths);
  const Scope scope = enter();
  const std::int64_t T = values.size(0), B = values.size(1), D = values.size(2), Q = W_a.weight.size(1);
  if (D != parts_ * Q) {
    fail("SharedAdditiveAttention", "the values are ", values.shape(), " and must be (T, B, ", parts_ * Q,
         ")");
  }
  memory.keys = W_a.forward(parts_ == 1 ? values : sum(values.reshape({T, B, parts_, Q}), 2));
  return memory;
}

Tensor SharedAdditiveAttention::energies(const Tensor& query, const Memory& memory, std::int64_t /*step*/,
                                         const Tensor& /*previous_weights*/) const {
  return additive_energy(W_a.forward(query), memory.keys, v_a, memory.lengths);
}

// attention_sequence() reads W_a and the keys, and the keys also depend on W_a. The tape adds the two
// gradients of W_a.
std::optional<AttentionScore> SharedAdditiveAttention::fused_score(std::int64_t /*value_size*/) const {
  if (!can_be_fused<SharedAdditiveAttention>()) return std::nullopt;
  return AttentionScore{.W_a = W_a.weight, .v_a = v_a, .dropout = dropout()};
}

}  // namespace gradus::nn
