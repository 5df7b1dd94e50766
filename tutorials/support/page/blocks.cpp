#include "blocks.hpp"

#include <algorithm>
#include <cstddef>

namespace tutorial {

std::string text(const std::vector<Block>& blocks) {
  std::size_t width = 0;
  for (const Block& block : blocks) {
    for (const auto& [label, line] : block) width = std::max(width, label.size() + 2);
  }
  std::string lines;
  for (const Block& block : blocks) {
    if (!lines.empty()) lines += '\n';
    for (const auto& [label, line] : block) {
      lines += label + std::string(width - label.size(), ' ') + line + '\n';
    }
  }
  return lines;
}

}  // namespace tutorial
