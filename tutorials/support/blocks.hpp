#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tutorial {

/// Lines with their labels: {"source", "a b c"}, …
using Block = std::vector<std::pair<std::string, std::string>>;

/// The blocks as text: labels padded to one width, blocks separated by an empty line.
std::string text(const std::vector<Block>& blocks);

}  // namespace tutorial
