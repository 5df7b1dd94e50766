#include <algorithm>
#include <deque>
#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "answer.hpp"

using namespace scalar;

namespace {

exercise::Attempt attempt(const std::string& name, const std::string& mistake,
                          const TopologicalOrder& answer) {
  return {name, mistake, topological_order_exercise(answer)};
}

using Seen = std::unordered_set<Node*>;

// Orders the nodes so that inputs precede the nodes that use them. Searches depth-first, with an explicit
// stack of (node, next edge).
std::vector<Node*> inputs_first(Node* L) {
  std::vector<Node*> order;
  Seen seen = {L};
  std::vector<std::pair<Node*, std::size_t>> stack = {{L, 0}};
  while (!stack.empty()) {
    auto& [node, next] = stack.back();
    if (next == node->edges.size()) {
      order.push_back(node);
      stack.pop_back();
    } else if (Node* input = node->edges[next++].input; seen.insert(input).second) {
      stack.emplace_back(input, 0);
    }
  }
  return order;
}

std::vector<Node*> reversed(std::vector<Node*> order) {
  std::reverse(order.begin(), order.end());
  return order;
}

void visit(Node* node, Seen& seen, std::vector<Node*>& order) {
  if (!seen.insert(node).second) return;
  for (const Edge& edge : node->edges) visit(edge.input, seen, order);
  order.push_back(node);
}

std::vector<Node*> recursive(Node* L) {
  std::vector<Node*> order;
  Seen seen;
  visit(L, seen, order);
  return reversed(order);
}

// Kahn's algorithm with a stack: a node is ready once all nodes that use it are in the order.
template <class Count = std::size_t>
std::vector<Node*> by_counting(Node* L) {
  std::unordered_map<Node*, Count> uses;
  for (Node* node : inputs_first(L))
    for (const Edge& edge : node->edges) ++uses[edge.input];
  std::vector<Node*> order, ready = {L};
  while (!ready.empty()) {
    order.push_back(ready.back());
    ready.pop_back();
    for (const Edge& edge : order.back()->edges)
      if (--uses.at(edge.input) == 0) ready.push_back(edge.input);
  }
  return order;
}

// Each node once, in depth-first preorder (`deep`) or in breadth-first order. In general, neither order is
// topological.
std::vector<Node*> as_met(Node* L, bool deep) {
  std::vector<Node*> order;
  Seen seen;
  std::deque<Node*> waiting = {L};
  while (!waiting.empty()) {
    Node* node = deep ? waiting.back() : waiting.front();
    deep ? waiting.pop_back() : waiting.pop_front();
    if (!seen.insert(node).second) continue;
    order.push_back(node);
    const auto add = [&](const Edge& edge) { waiting.push_back(edge.input); };
    deep ? std::for_each(node->edges.rbegin(), node->edges.rend(), add)
         : std::for_each(node->edges.begin(), node->edges.end(), add);
  }
  return order;
}

std::vector<Node*> at_every_use(Node* L) {
  std::vector<Node*> order = {L};
  for (std::size_t i = 0; i < order.size(); ++i)
    for (const Edge& edge : order[i]->edges) order.push_back(edge.input);
  return order;
}

std::vector<Node*> without_leaves(Node* L) {
  std::vector<Node*> order = reversed(inputs_first(L));
  std::erase_if(order, [&](const Node* node) { return node != L && node->edges.empty(); });
  return order;
}

std::vector<Node*> first_edge_only(Node* L) {
  std::vector<Node*> order;
  for (Node* node = L; node; node = node->edges.empty() ? nullptr : node->edges[0].input)
    order.push_back(node);
  return order;
}

// Extends a path from L to `node`, of length `depth`, in all ways. Raises depths[n] to the length of the
// longest path to n. Takes exponential time.
void lower(Node* node, int depth, std::unordered_map<Node*, int>& depths) {
  depths[node] = std::max(depths[node], depth);
  for (const Edge& edge : node->edges) lower(edge.input, depth + 1, depths);
}

std::vector<Node*> by_depth(Node* L) {
  std::unordered_map<Node*, int> depths;
  lower(L, 0, depths);
  std::vector<Node*> order;
  for (const auto& entry : depths) order.push_back(entry.first);
  std::sort(order.begin(), order.end(), [&](Node* a, Node* b) { return depths.at(a) < depths.at(b); });
  return order;
}

}  // namespace

int main() {
  return exercise::bank({
      attempt("inputs first, reversed", "", [](Node* L) { return reversed(inputs_first(L)); }),
      attempt("by counting uses, with a stack", "", by_counting<>),
      attempt("inputs first, not reversed", "inputs-first", inputs_first),
      attempt("recursive", "recursion", recursive),
      attempt("longest path by exhaustive search", "too-slow", by_depth),
      attempt("depth first", "depth-first", [](Node* L) { return as_met(L, true); }),
      attempt("breadth first", "breadth-first", [](Node* L) { return as_met(L, false); }),
      attempt("a node once per use", "twice", at_every_use),
      attempt("leaves left out", "missing", without_leaves),
      attempt("only the first input followed", "missing", first_edge_only),
      attempt("L left out", "without-L",
              [](Node* L) {
                std::vector<Node*> order = reversed(inputs_first(L));
                order.erase(order.begin());
                return order;
              }),
      attempt("nodes seen in earlier calls left out", "remembers",
              [seen = Seen()](Node* L) mutable {
                std::vector<Node*> order;
                visit(L, seen, order);
                return reversed(order);
              }),
      attempt("edges removed once followed", "changes-its-input",
              [](Node* L) {
                const std::vector<Node*> order = reversed(inputs_first(L));
                for (Node* node : order) node->edges.clear();
                return order;
              }),
      attempt("marked by their gradient", "reads-gradients",
              [](Node* L) {
                std::vector<Node*> order = reversed(inputs_first(L));
                std::erase_if(order, [L](const Node* node) { return node != L && node->gradient != 0; });
                for (Node* node : order) node->gradient = 1;
                return order;
              }),
      attempt("edges with slope 0 left out", "missing",
              [](Node* L) {
                Seen reached = {L};
                std::vector<Node*> order = reversed(inputs_first(L));
                for (const Node* node : order)
                  for (const Edge& edge : node->edges)
                    if (edge.slope != 0 && reached.contains(const_cast<Node*>(node)))
                      reached.insert(edge.input);
                std::erase_if(order, [&](Node* node) { return !reached.contains(node); });
                return order;
              }),
      attempt("by address", "by-address",
              [](Node* L) {
                std::vector<Node*> order = inputs_first(L);
                std::sort(order.begin(), order.end(), std::greater<>());
                return order;
              }),
      attempt("marked by a gradient of −7", "reads-gradients",
              [](Node* L) {
                std::vector<Node*> order = reversed(inputs_first(L));
                std::erase_if(order, [L](const Node* node) { return node != L && node->gradient == -7; });
                for (Node* node : order) node->gradient = -7;
                return order;
              }),
      attempt("at the first visit, last input first", "depth-first",
              [](Node* L) {
                std::vector<Node*> order, stack = {L};
                Seen seen;
                while (!stack.empty()) {
                  Node* node = stack.back();
                  stack.pop_back();
                  if (!seen.insert(node).second) continue;
                  order.push_back(node);
                  for (const Edge& edge : node->edges) stack.push_back(edge.input);
                }
                return order;
              }),
      attempt("users counted, uses subtracted", "double-edge",
              [](Node* L) {
                std::unordered_map<Node*, std::size_t> users;
                for (Node* node : inputs_first(L)) {
                  Seen own;
                  for (const Edge& edge : node->edges) own.insert(edge.input);
                  for (Node* input : own) ++users[input];
                }
                std::vector<Node*> order, ready = {L};
                while (!ready.empty()) {
                  order.push_back(ready.back());
                  ready.pop_back();
                  for (const Edge& edge : order.back()->edges)
                    if (--users.at(edge.input) == 0) ready.push_back(edge.input);
                }
                return order;
              }),
      attempt("one of two edges removed", "changes-its-input",
              [](Node* L) {
                std::vector<Node*> order = inputs_first(L);
                std::ranges::reverse(order);
                for (Node* node : order)
                  if (node->edges.size() == 2 && node->edges[0].input == node->edges[1].input)
                    node->edges.pop_back();
                return order;
              }),
      attempt("uses counted in 8 bits", "counter-wraps", by_counting<std::uint8_t>),
  });
}
