#pragma once

#include <gradus/data/tokens.hpp>

#include <cstddef>
#include <string_view>

namespace gradus::data {

// Throws unless the pair (named by its index) can be batched: a source with at least one token, a target that
// ends in EOS, and ordinary tokens everywhere else.
void check_pair(std::string_view operation, const Pair& pair, std::size_t index);

}  // namespace gradus::data
