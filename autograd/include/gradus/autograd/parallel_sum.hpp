#pragma once

#include <gradus/autograd/tensor.hpp>

#include <cstdint>
#include <functional>

#pragma GCC visibility push(default)
namespace gradus {

/// Σ_i f(i) for i < count. One thread computes each term, and later its backward pass, so splitting a batch
/// by sequence needs two barriers instead of one per loop. Uses the memory of `count` gradients.
///
/// f is called as in parallel_operations(). It must return a scalar, and must not change anything that other
/// calls use. Hooks on its tensors run on the thread that computes the term, and retain_grad() has no effect
/// on them. Under a Profile, or without other threads, the terms are computed one after the other.
///
/// Gradient: g at each f(i).
/// @throws Error when count is below 1, and unless f returns scalars of one dtype. Rethrows what f throws.
Tensor parallel_sum(std::int64_t count, const std::function<Tensor(std::int64_t)>& f);

}  // namespace gradus
#pragma GCC visibility pop
