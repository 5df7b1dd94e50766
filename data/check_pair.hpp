#pragma once

#include <gradus/data/tokens.hpp>

#include <cstddef>
#include <string_view>

namespace gradus::data {

// Throws an Error with the pair's index unless the source has a token, the target ends in EOS, and all other
// tokens are ordinary ones.
void check_pair(std::string_view operation, const Pair& pair, std::size_t index);

}  // namespace gradus::data
