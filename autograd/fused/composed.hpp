#pragma once

#include <gradus/autograd/fused.hpp>

#include <vector>

/// Composed twins of the fused operations: the same equations, written with simple operations. Each twin is
/// in the source file of its fused operation. While this thread has a Composed, each fused operation calls
/// its twin. This header declares the functions that several twins call.
namespace gradus::composed {

/// Computes h′ (B, H) from x_part = W_ih x + b_ih, (B, 3H), and h. W and b are W_hh and b_hh.
Tensor gru_step(GRUForm form, const Tensor& x_part, const Tensor& h, const Tensor& W, const Tensor& b);
/// Computes {h′, c′} from x_part = W_ih x + b_ih, (B, 4H), and `state`, {h, c}. W and b are W_hh and b_hh.
std::vector<Tensor> lstm_step(const Tensor& x_part, const std::vector<Tensor>& state, const Tensor& W,
                              const Tensor& b);
/// Returns x (T, B, …) with zeros beyond the lengths.
Tensor zero_padding(const Tensor& x, const Tensor& lengths);

}  // namespace gradus::composed
