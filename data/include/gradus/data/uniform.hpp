#pragma once

#include <cstdint>
#include <functional>

#pragma GCC visibility push(default)
namespace gradus::data {

/// The caller's random number generator. Called with n ≥ 1, it draws uniformly from [0, n), for example
/// `[&](auto n) { return generator.below(n); }`. A function that takes a UniformIndex uses no other
/// randomness: the same draws give the same data.
using UniformIndex = std::function<std::uint64_t(std::uint64_t n)>;

/// Draws from [0, n) and checks the result.
/// @throws gradus::Error if `uniform` is empty, n is 0, or the drawn index is not below n.
std::uint64_t draw_index(const UniformIndex& uniform, std::uint64_t n);

}  // namespace gradus::data
#pragma GCC visibility pop
