#include <gradus/autograd/recorded.hpp>

#include <algorithm>
#include <unordered_map>

#include "memory/storage.hpp"
#include "tape/node.hpp"
#include "tensor/print.hpp"

namespace gradus {
namespace {

using Places = std::unordered_map<const Node*, std::size_t>;

void check_not_freed(const char* operation, const Node& node) {
  if (!node.freed) return;
  fail(operation, "the tape of ", node.text(),
       " was freed by an earlier backward(); read the tape before backward(), or call it with retain_graph = "
       "true");
}

std::vector<const Node*> nodes_behind(const char* operation, const Node& root, Places& places) {
  std::vector<const Node*> nodes{&root};
  places.emplace(&root, 0);
  for (std::size_t next = 0; next < nodes.size(); ++next) {
    check_not_freed(operation, *nodes[next]);
    for (const NodePtr& input : nodes[next]->inputs) {
      if (input && places.emplace(input.get(), 0).second) nodes.push_back(input.get());
    }
  }
  std::sort(nodes.begin(), nodes.end(), [](const Node* a, const Node* b) { return a->number < b->number; });
  for (std::size_t i = 0; i < nodes.size(); ++i) places[nodes[i]] = i;
  return nodes;
}

std::string text_of(const Tensor& tensor) {
  return tensor.defined() && tensor.numel() <= shown_elements ? values_text(tensor) : "";
}

}  // namespace

std::vector<Recorded> recorded(const char* operation, const Tensor& root, const NamedTensors& names) {
  if (!root.requires_grad()) {
    fail(operation, "this tensor ", root.shape(),
         " was not recorded: no input has requires_grad, or NoGrad is on");
  }
  Places places;
  std::vector<Recorded> result;
  for (const Node* node : nodes_behind(operation, *root.impl().node, places)) {
    result.push_back({.operation = node->operation,
                      .is_leaf = node->leaf,
                      .scope = node->scope,
                      .shape = node->shape,
                      .dtype = node->dtype,
                      .values = text_of(node->value),
                      .gradient = text_of(node->gradient)});
    for (const NodePtr& input : node->inputs) {
      if (input) result.back().inputs.push_back(places.at(input.get()));
    }
  }
  for (const auto& [name, tensor] : names) {
    if (!tensor.defined() || !tensor.requires_grad()) continue;
    const auto found = places.find(tensor.impl().node.get());
    if (found != places.end() && result[found->second].name.empty()) result[found->second].name = name;
  }
  return result;
}

}  // namespace gradus
