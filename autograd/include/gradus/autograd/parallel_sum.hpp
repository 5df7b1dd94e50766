#pragma once

#include <gradus/autograd/tensor.hpp>

#include <cstdint>
#include <functional>

#pragma GCC visibility push(default)
namespace gradus {

/// Σ_i f(i) for i < count. A single thread computes each term, and a single thread runs each term's backward
/// pass. Splitting a batch by sequence therefore needs two barriers instead of one per loop. The gradients of
/// all terms are in memory at the same time.
///
/// f is called as in parallel_operations(). It must return a scalar, and must not change anything that other
/// calls use. Under a Profile, or with one thread, the terms are computed one after the other. Otherwise, a
/// hook on a tensor inside f runs on the thread that computes that term's backward pass, and retain_grad()
/// has no effect on such a tensor.
///
/// Gradient: g at each f(i).
/// @throws Error when count is below 1, and unless f returns scalars of one dtype. Rethrows exceptions from
/// f.
Tensor parallel_sum(std::int64_t count, const std::function<Tensor(std::int64_t)>& f);

}  // namespace gradus
#pragma GCC visibility pop
