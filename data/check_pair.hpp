#pragma once

#include <gradus/data/tokens.hpp>

#include <cstddef>
#include <string_view>

namespace gradus::data {

// Throws an Error that names the index, unless the source has at least one token, the target ends in EOS, and
// all other tokens are ordinary.
void check_pair(std::string_view operation, const Pair& pair, std::size_t index);

}  // namespace gradus::data
