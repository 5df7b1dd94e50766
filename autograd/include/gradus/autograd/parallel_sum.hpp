#pragma once

#include <gradus/autograd/tensor.hpp>

#include <cstdint>
#include <functional>

#pragma GCC visibility push(default)
namespace gradus {

/// Σ_i f(i) for i < count, each of whose terms one thread computes from its beginning to its end, as it does
/// its part of backward() later: threads that share a batch by its sequences wait for each other twice, where
/// those that share every loop do so at each of them. Takes the memory of `count` gradients.
///
/// f is called as in parallel_operations(); it gives a scalar, and shares with its other calls nothing that
/// changes. Hooks on what it computes run on whichever thread that is on, and retain_grad() has no effect
/// there. Under a Profile, or where the calling thread is alone, the terms are computed one after the other.
///
/// Gradient: g at each f(i).
/// @throws Error when count is below 1, and when f gives anything but scalars of one dtype; and what f
/// throws.
Tensor parallel_sum(std::int64_t count, const std::function<Tensor(std::int64_t)>& f);

}  // namespace gradus
#pragma GCC visibility pop
