#pragma once

#include <gradus/autograd/ops.hpp>

using namespace gradus;

inline Tensor masked_loss(const Tensor& logits, const Tensor& targets, const Tensor& lengths) {
  const Tensor t = unsqueeze(arange(logits.size(0)), 1);      // (T, 1)
  const Tensor real = less(t, lengths).to(logits.dtype());    // (T, B): 1 where t < ℓ_b
  const Tensor index = unsqueeze(targets, 2);                 // (T, B, 1)
  const Tensor ln_p = gather(log_softmax(logits), 2, index);  // (T, B, 1): ln p of the target
  return -sum(squeeze(ln_p, 2) * real) / sum(real);           // ()
}
