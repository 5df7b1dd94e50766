#include "score.hpp"

#include <gradus/autograd/ops.hpp>

namespace gradus::web {

Tensor energies_of(const AttentionScore& score, const Tensor& s, const nn::Memory& memory, bool with_tanh) {
  const Tensor query = score.W_a.defined() ? linear(s, score.W_a) : s;  // (B, A)
  const Tensor& keys = memory.keys.defined() ? memory.keys : memory.values;
  if (!score.v_a.defined()) return score.scale * sum(query * keys, 2);
  const Tensor sums = query + keys;  // (T, B, A)
  return sum(score.v_a * (with_tanh ? tanh(sums) : sums), 2);
}

}  // namespace gradus::web
