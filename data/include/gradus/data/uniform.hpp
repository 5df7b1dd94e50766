#pragma once

#include <cstdint>
#include <functional>

#pragma GCC visibility push(default)
namespace gradus::data {

/// The source of randomness that a caller passes in: called with n ≥ 1, it draws uniformly from [0, n).
///
/// With the engine's generator: `[&](auto n) { return generator.below(n); }`. Nothing else is random here, so
/// the same stream of indices gives the same data.
using UniformIndex = std::function<std::uint64_t(std::uint64_t n)>;

/// One checked draw from [0, n).
/// \throws gradus::Error if `uniform` is empty, n is 0, or the index drawn is not below n.
std::uint64_t draw_index(const UniformIndex& uniform, std::uint64_t n);

}  // namespace gradus::data
#pragma GCC visibility pop
