#pragma once

#include <gradus/autograd/fused.hpp>

// The composed versions of the fused operations: they compute the same values and gradients with the
// operations of ops.hpp.
namespace gradus::composed {

Tensor gru_update(const Tensor& x_part, const Tensor& h_part, const Tensor& h);
Tensor lstm_update(const Tensor& x_part, const Tensor& h_part, const Tensor& c);
GRUStates gru_sequence(const Tensor& x_parts, const Tensor& weight_hh, const Tensor& bias_hh,
                       const Tensor& h_0, const Packing& packing, bool reverse, GRUForm form);
LSTMStates lstm_sequence(const Tensor& x_parts, const Tensor& weight_hh, const Tensor& bias_hh,
                         const Tensor& h_0, const Tensor& c_0, const Packing& packing, bool reverse);
Tensor additive_energy(const Tensor& query, const Tensor& keys, const Tensor& v, const Tensor& lengths);
Tensor weighted_sum(const Tensor& weights, const Tensor& values, const Tensor& lengths);
Tensor attention_sequence(const Tensor& y, const std::vector<Tensor>& state, const Tensor& keys,
                          const Tensor& values, const Tensor& lengths, const AttentionDecoder& decoder,
                          const Packing& packing);

}  // namespace gradus::composed
