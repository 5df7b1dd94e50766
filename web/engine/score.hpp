#pragma once

#include <gradus/autograd/fused.hpp>
#include <gradus/nn/attention.hpp>

namespace gradus::web {

/// The energies of an attention, computed with elementary operations only:
/// e_j = v_a · tanh(W_a s + U_a h_j) or e_j = scale · (W_a s) · h_j.
/// @param s         the query, (B, H)
/// @param with_tanh false for v_a · (W_a s + U_a h_j)
/// @return (T, B)
Tensor energies_of(const AttentionScore& score, const Tensor& s, const nn::Memory& memory,
                   bool with_tanh = true);

}  // namespace gradus::web
