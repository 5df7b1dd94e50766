#pragma once

#include <gradus/autograd/fused.hpp>

#include <vector>

/// Composed twins of the fused operations: the same equations, written with simple operations. Each twin is
/// in the source file of its fused operation. While this thread has a Composed, each fused operation calls
/// its twin. This header declares the functions that several twins call.
namespace gradus::composed {

/// Computes the state after a step, {h′} or {h′, c′}, from x_part = W_ih x + b_ih, (B, G·H), and the state
/// before the step. W and b are W_hh and b_hh.
std::vector<Tensor> step(GatedCell cell, const Tensor& x_part, const std::vector<Tensor>& before,
                         const Tensor& W, const Tensor& b);
/// Returns x (T, B, …) with zeros beyond the lengths.
Tensor zero_padding(const Tensor& x, const Tensor& lengths);

}  // namespace gradus::composed
