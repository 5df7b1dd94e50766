#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tutorial {

/// Labelled lines: {"source", "a b c"}, …
using Block = std::vector<std::pair<std::string, std::string>>;

/// The blocks as text. All labels are padded to one width; an empty line separates blocks.
std::string text(const std::vector<Block>& blocks);

}  // namespace tutorial
