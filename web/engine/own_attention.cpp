#include "own_attention.hpp"

#include <utility>

namespace gradus::web {

std::map<std::string, models::AttentionKind>& own_attentions() {
  static std::map<std::string, models::AttentionKind> kinds;
  return kinds;
}

bool offer(const std::string& name,
           std::function<std::unique_ptr<nn::Attention>(const models::AttentionSizes&)> make) {
  own_attentions()[name] = {.make = std::move(make), .weights = {}};
  return true;
}

}  // namespace gradus::web
