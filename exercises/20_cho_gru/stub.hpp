#pragma once

#include <gradus/autograd/ops.hpp>
#include <gradus/nn/recurrent.hpp>

#include <vector>

#include "kit/finding.hpp"

using namespace gradus;

// One step of the GRU of Cho et al.: h′ (B, H) from x (B, I) and h (B, H).
inline Tensor cho_step(const nn::RecurrentWeights& /*p*/, const Tensor& /*x*/, const Tensor& /*h*/) {
  // TODO
  exercise::to_do("Write cho_step(p, x, h): compute r and z, then n from r ∘ h, then h′.");
}

// The states of a padded batch, (T, B, H), from x (T, B, I), lengths (B) and the state before the first step,
// (B, H). A row's state does not change after the row's last step.
inline Tensor cho_states(const nn::RecurrentWeights& /*p*/, const Tensor& /*x*/, const Tensor& /*lengths*/,
                         const Tensor& /*first*/) {
  // TODO
  exercise::to_do(
      "Write cho_states(p, x, lengths, first): run cho_step T times, and keep the rows that have ended.");
}
