#pragma once

#include <gradus/autograd/random.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gradus {

// Draws `elements` distinct indices below n, in ascending order. Returns all n indices if `elements` is 0 or
// at least n.
std::vector<std::size_t> drawn_elements(std::int64_t n, std::int64_t elements, Generator generator);

}  // namespace gradus
