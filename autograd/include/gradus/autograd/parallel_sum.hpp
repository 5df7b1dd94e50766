#pragma once

#include <gradus/autograd/tensor.hpp>

#include <cstdint>
#include <functional>

#pragma GCC visibility push(default)
namespace gradus {

/// Σ_i f(i) for i < count. Terms are computed in parallel: one thread computes f(i), and the same or another
/// thread later runs the backward pass of f(i). Threads wait for each other only twice, at the end of the
/// forward pass and at the end of the backward pass, not after every loop. The gradients of all terms are in
/// memory at the same time.
///
/// f is called as in parallel_operations(). f must return a scalar, and must not change anything that other
/// calls of f use. Under a Profile, or if team::available() is 1, the terms are computed one after the other.
/// When they are computed in parallel, a hook on a tensor inside f(i) runs on the thread that computes the
/// backward pass of f(i), and retain_grad() has no effect on tensors inside f.
///
/// Gradient: g at each f(i).
/// @throws Error when count is below 1, or when f does not return scalars of one dtype. Rethrows exceptions
/// from f.
Tensor parallel_sum(std::int64_t count, const std::function<Tensor(std::int64_t)>& f);

}  // namespace gradus
#pragma GCC visibility pop
