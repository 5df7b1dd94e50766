#pragma once

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/recording.hpp>
#include <gradus/nn/embedding.hpp>
#include <gradus/nn/gru.hpp>
#include <gradus/nn/linear.hpp>

#include <algorithm>
#include <utility>

#include "subject.hpp"

/// Functions that program.hpp and the exhibits' changed lines use.
namespace museum {

inline bool goes_on(const Tokens& output) { return output.empty() || output.back() != gradus::data::eos; }

/// Appends one token to each output that has not ended in EOS. tokens: (B).
inline void write(const Tensor& tokens, std::vector<Tokens>& outputs) {
  const auto ids = tokens.to_vector<std::int64_t>();
  for (std::size_t b = 0; b < outputs.size(); ++b)
    if (goes_on(outputs[b])) outputs[b].push_back(ids[b]);
}

/// Replaces each h_j by a unit vector that encodes its position j: (T, B, D) for h (T, B, D), T ≤ D.
inline Tensor positions_like(const Tensor& h) {
  const Tensor unit = gradus::one_hot(gradus::arange(h.size(0)), h.size(2), h.dtype());  // (T, D)
  return expand(unsqueeze(unit, 1), h.shape());
}

/// The lengths, limited to `most`.
inline Tensor at_most(const Tensor& lengths, std::int64_t most) {
  const Tensor n = lengths.to(gradus::Dtype::f64);
  return minimum(n, gradus::full({}, static_cast<double>(most), gradus::Dtype::f64)).to(gradus::Dtype::i64);
}

/// 1 up to and including the first step at which the logits (T_y, B, V) prefer EOS, 0 afterwards: (T_y, B).
inline Tensor until_eos(const Tensor& logits) {
  const Tensor eos = gradus::full({}, gradus::data::eos, gradus::Dtype::i64);
  const Tensor ends = equal(argmax(logits, 2), eos).to(logits.dtype());
  return less(cumsum(ends, 0) - ends, gradus::ones({}, logits.dtype())).to(logits.dtype());
}

}  // namespace museum
