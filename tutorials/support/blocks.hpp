#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tutorial {

/// Lines, each with its label: "source", "a b c".
using Block = std::vector<std::pair<std::string, std::string>>;

/// As a terminal shows them: the labels are padded to one width, and between two blocks is an empty line.
std::string text(const std::vector<Block>& blocks);

}  // namespace tutorial
