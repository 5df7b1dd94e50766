#include <gradus/autograd/random.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "answer.hpp"
#include "kit/invariants.hpp"
#include "kit/process.hpp"

namespace {

using exercise::End;
using exercise::Finding;
using exercise::Mistake;
using namespace scalar;

const Mistake missing{"missing", "", "Follow every edge of every node, down to the leaves."};
const Mistake without_L{"without-L", "", "The order begins with L itself."};
const Mistake foreign{"foreign", "",
                      "Start at L and follow the edges: L does not depend on nodes that you do not reach."};
const Mistake twice{"twice", "A node was added once for each of its uses.",
                    "Remember which nodes the order contains. Which of a node's uses decides its position?"};
const Mistake inputs_first{"inputs-first", "The order is that of the computation, from the leaves to L.",
                           "Backward goes from L to the leaves: reverse the order."};
const Mistake depth_first{"depth-first", "The nodes are in depth-first order, each at its first visit.",
                          "When a node is visited for the first time, nodes that use it may still follow."};
const Mistake breadth_first{"breadth-first", "The nodes are sorted by their shortest path from L.",
                            "A node may be used both near L and far from it: the longest path decides."};
const Mistake by_address{"by-address", "The nodes are sorted by their addresses in memory.",
                         "A node may have any address: only the edges tell which node uses which."};
const Mistake double_edge{"double-edge", "Two edges from one node to the same input count as one use.",
                          "a + a has two edges to a: count both, and lower the count once for each."};
const Mistake counter_wraps{"counter-wraps", "A counter of uses is too small: it wraps.",
                            "A node may be used any number of times: count in std::size_t."};
const Mistake order_wrong{"order", "", "When is a node's gradient complete, so that it may be passed on?"};
const Mistake changes_graph{"changes-its-input", "The edges of a node were changed.",
                            "backward() follows the edges after you: leave the nodes as they are."};
const Mistake reads_gradients{"reads-gradients", "Nodes are marked as visited by their gradient.",
                              "A gradient may have any value: keep the visited nodes in a set."};
const Mistake recursion{
    "recursion", "The stack overflowed: a recursive function needs a stack frame for each node of the chain.",
    "Keep the nodes still to be visited in a std::vector instead of recursing."};
const Mistake too_slow{"too-slow",
                       "The time grows with the square of the number of nodes, or with the number of paths.",
                       "Do you search a list for each node, or visit a node once per path? A hash table "
                       "finds a node in constant time."};

using Names = std::map<const Node*, std::string>;

std::string name_of(const Names& names, const Node* node) {
  const auto found = names.find(node);
  return found == names.end() ? "a pointer to no node of the graph" : found->second;
}

std::string text(const Names& names, const std::vector<Node*>& order) {
  std::string out;
  for (const Node* node : order) out += (out.empty() ? "" : ", ") + name_of(names, node);
  return out.empty() ? "no nodes" : out;
}

// L and all nodes that L depends on, in depth-first (`deep`) or breadth-first order of discovery. With
// `last_input_first`, a node's last input comes first.
std::vector<Node*> met(Node* L, bool deep, bool last_input_first = false) {
  std::vector<Node*> order;
  std::set<Node*> seen;
  std::deque<Node*> waiting = {L};
  while (!waiting.empty()) {
    Node* node = waiting.front();
    waiting.pop_front();
    if (!seen.insert(node).second) continue;
    order.push_back(node);
    std::vector<Node*> inputs;
    for (const Edge& edge : node->edges) inputs.push_back(edge.input);
    if (last_input_first) std::ranges::reverse(inputs);
    waiting.insert(deep ? waiting.begin() : waiting.end(), inputs.begin(), inputs.end());
  }
  return order;
}

// The index of each node in `order`.
std::map<const Node*, std::size_t> places(const std::vector<Node*>& order) {
  std::map<const Node*, std::size_t> at;
  for (std::size_t i = 0; i < order.size(); ++i) at.emplace(order[i], i);
  return at;
}

// Returns a node that precedes one of its users, and this user; null pointers if the order is right.
std::pair<const Node*, const Node*> too_early(const std::vector<Node*>& order) {
  const auto at = places(order);
  for (const Node* user : order)
    for (const Edge& edge : user->edges)
      if (at.at(edge.input) < at.at(user)) return {edge.input, user};
  return {nullptr, nullptr};
}

// A mistake: counts each node's users, so an operation that uses the node twice counts only once.
std::vector<Node*> by_users(Node* L, bool newest_first) {
  std::map<Node*, int> uses;
  for (Node* node : met(L, false)) {
    std::set<Node*> inputs;
    for (const Edge& edge : node->edges) inputs.insert(edge.input);
    for (Node* input : inputs) ++uses[input];
  }
  std::vector<Node*> order;
  std::deque<Node*> ready = {L};
  while (!ready.empty()) {
    order.push_back(newest_first ? ready.back() : ready.front());
    newest_first ? ready.pop_back() : ready.pop_front();
    for (const Edge& edge : order.back()->edges)
      if (--uses[edge.input] == 0) ready.push_back(edge.input);
  }
  return order;
}

// A mistake: sorts the nodes by their addresses.
std::vector<Node*> sorted_by_address(Node* L, bool highest_first) {
  std::vector<Node*> order = met(L, false);
  std::ranges::sort(order, std::less<>());
  if (highest_first) std::ranges::reverse(order);
  return order;
}

// A known mistake, and the wrong order nodes(L) that it produces.
struct KnownOrder {
  Mistake mistake;
  std::vector<Node*> (*nodes)(Node* L);
};
const KnownOrder known_orders[] = {
    {depth_first, [](Node* L) { return met(L, true); }},
    {depth_first, [](Node* L) { return met(L, true, true); }},
    {breadth_first, [](Node* L) { return met(L, false); }},
    {breadth_first, [](Node* L) { return met(L, false, true); }},
    {by_address, [](Node* L) { return sorted_by_address(L, false); }},
    {by_address, [](Node* L) { return sorted_by_address(L, true); }},
    {double_edge, [](Node* L) { return by_users(L, false); }},
    {double_edge, [](Node* L) { return by_users(L, true); }},
};

// Returns the known mistake that explains the answer's order, else order_wrong. On a small graph, several
// mistakes may give the same order. So the mistake must also explain the answer's orders of larger graphs.
Mistake which(const TopologicalOrder& answer, Node* L, const std::vector<Node*>& order) {
  Graph graph;
  std::vector<Node*> larger;
  gradus::Generator generator(2);
  for (std::size_t k = 0; k < 5; ++k) {
    std::vector<Node*> nodes = {graph.leaf(1), graph.leaf(2)};
    for (std::size_t i = 0; i < 12; ++i)
      nodes.push_back(k == 0 ? graph.add(nodes[i], nodes[i + 1 - i % 2])
                             : graph.add(nodes[generator.below(nodes.size())], nodes.back()));
    larger.push_back(graph.add(graph.add(nodes.back(), nodes[5]), nodes[9]));
  }
  std::vector<std::vector<Node*>> there;
  for (Node* node : larger) there.push_back(answer(node));
  if (order.back() == L && there[0].back() == larger[0]) return inputs_first;
  for (const KnownOrder& known : known_orders) {
    bool all = order == known.nodes(L);
    for (std::size_t k = 0; k < larger.size() && all; ++k) all = there[k] == known.nodes(larger[k]);
    if (all) return known.mistake;
  }
  return order_wrong;
}

void expect_order_once(const std::string& graph, const TopologicalOrder& answer, Node* L,
                       const Names& names) {
  const std::vector<Node*> needed = met(L, true);
  const auto inputs = [&] {
    std::vector<Node*> all;
    for (const Node* node : needed)
      for (const Edge& edge : node->edges) all.push_back(edge.input);
    return all;
  };
  const std::vector<Node*> before = inputs(), order = answer(L);
  exercise::expect(inputs() == before, changes_graph, "The graph has other edges afterwards.");
  const auto at = places(order);
  const auto wrong = [&](const Mistake& mistake, const std::string& says) {
    throw Finding{.mistake = mistake, .says = says, .where = graph, .got = text(names, order)};
  };
  for (const Node* node : needed)
    if (!at.contains(node)) wrong(node == L ? without_L : missing, name_of(names, node) + " is missing.");
  for (const Node* node : order)
    if (std::find(needed.begin(), needed.end(), node) == needed.end())
      wrong(foreign, name_of(names, node) + " is in the order, although L does not depend on it.");
  if (order.size() != needed.size()) wrong(twice, "A node is in the order more than once.");
  const auto [early, user] = too_early(order);
  if (early)
    wrong(which(answer, L, order),
          name_of(names, early) + " precedes " + name_of(names, user) + ", which uses it.");
}

void expect_order(const std::string& graph, const TopologicalOrder& answer, Node* L, const Names& names) {
  const auto again = [&](std::optional<double> gradient, const Mistake& mistake, const std::string& says) {
    if (gradient)
      for (Node* node : met(L, true)) node->gradient = *gradient;
    try {
      expect_order_once(graph, answer, L, names);
    } catch (const Finding& finding) {
      throw Finding{.mistake = mistake, .says = says, .where = finding.where, .got = finding.got};
    }
  };
  expect_order_once(graph, answer, L, names);
  again(0, exercise::remembers, "A second call for the same graph gives a wrong order.");
  again(1, reads_gradients, "The order is wrong once the nodes have gradients, as after backward().");
  again({}, reads_gradients, "The order is wrong if it was computed before: the gradients were changed.");
}

void chain(const TopologicalOrder& answer) {
  Graph graph;
  Node *a = graph.leaf(2), *b = graph.leaf(3), *c = graph.mul(a, b), *d = graph.leaf(1), *L = graph.add(c, d);
  Node* unused = graph.add(c, c);
  expect_order("c = a b, L = c + d", answer, L,
               {{a, "a"}, {b, "b"}, {c, "c"}, {d, "d"}, {L, "L"}, {unused, "c + c, which L does not use,"}});
  expect_order("L is a leaf", answer, a, {{a, "L"}});
}

void used_twice(const TopologicalOrder& answer) {
  Graph graph;
  Node *a = graph.leaf(1), *b = graph.add(a, a), *L = graph.add(b, b);
  expect_order("b = a + a, L = b + b", answer, L, {{a, "a"}, {b, "b"}, {L, "L"}});
}

void diamond(const TopologicalOrder& answer) {
  Graph graph;
  Node *x = graph.leaf(3), *a = graph.mul(x, x), *b = graph.add(a, x), *c = graph.mul(a, x),
       *L = graph.add(b, c);
  expect_order("a = x x, b = a + x, c = a x, L = b + c", answer, L,
               {{x, "x"}, {a, "a"}, {b, "b"}, {c, "c"}, {L, "L"}});
}

void ways_of_different_lengths(const TopologicalOrder& answer) {
  Graph graph;
  Node *x = graph.leaf(3), *a = graph.add(x, x), *b = graph.mul(a, a), *c = graph.add(b, b),
       *L = graph.mul(a, c);
  expect_order("a = x + x, b = a a, c = b + b, L = a c", answer, L,
               {{x, "x"}, {a, "a"}, {b, "b"}, {c, "c"}, {L, "L"}});
}

// Nodes that are used 301 and 70,001 times: more than an 8-bit and a 16-bit counter can count.
void used_often(const TopologicalOrder& answer) {
  for (const int uses : {300, 70'000}) {
    Graph graph;
    Node *a = graph.leaf(1), *b = graph.add(a, a), *L = b;
    for (int i = 0; i < uses; ++i) L = graph.add(L, b);
    try {
      expect_order_once("b = a + a, and L = b + b + … + b with b " + std::to_string(uses + 1) + " times",
                        answer, L, {{a, "a"}, {b, "b"}, {L, "L"}});
    } catch (Finding& finding) {
      finding.mistake = counter_wraps;
      finding.got.clear();
      throw;
    }
  }
}

// n nodes, whose order in memory is random. In inputs_last, each node precedes its inputs.
struct RandomGraph {
  std::vector<Node> nodes;
  std::vector<Node*> inputs_last;
  Names names;

  RandomGraph(std::size_t n, gradus::Generator& generator) : nodes(n) {
    for (Node& node : nodes) inputs_last.push_back(&node);
    for (std::size_t i = n; i > 1; --i) std::swap(inputs_last[i - 1], inputs_last[generator.below(i)]);
    for (std::size_t i = 0; i + 1 < n; ++i)
      for (std::uint64_t edges = generator.below(4); edges > 0; --edges)
        inputs_last[i]->edges.push_back(
            {inputs_last[i + 1 + generator.below(n - i - 1)], edges % 2 ? 1.0 : 0.0});
    names.emplace(inputs_last[0], "L");
    for (std::size_t i = 1; i < n; ++i) names[inputs_last[i]] = std::to_string(i);
  }

  std::string text() const {
    std::string out;
    for (const Node* node : inputs_last) {
      if (node->edges.empty()) continue;
      out += (out.empty() ? "" : ", ") + names.at(node) + " from";
      for (const Edge& edge : node->edges) out += " " + names.at(edge.input);
    }
    return out;
  }
};

void random_graphs(const TopologicalOrder& answer) {
  gradus::Generator generator(1);
  for (std::size_t i = 0; i < 200; ++i) {
    const RandomGraph graph(2 + i / 8, generator);  // small graphs first: short messages
    expect_order(graph.text(), answer, graph.inputs_last.front(), graph.names);
  }
}

// Compares the gradients of L = u v + u, where u = p q + p and v = u u + q, with finite differences.
void as_differences_say(const TopologicalOrder& answer) {
  const auto L = [](double p, double q) {
    const double u = p * q + p, v = u * u + q;
    return u * v + u;
  };
  Graph graph;
  Node *p = graph.leaf(0.5), *q = graph.leaf(-2), *u = graph.add(graph.mul(p, q), p);
  Node *v = graph.add(graph.mul(u, u), q), *result = graph.add(graph.mul(u, v), u);
  backward(answer(result));
  constexpr double h = 1e-5;
  exercise::expect_value("∂L/∂p of L = u v + u, u = p q + p, v = u u + q", p->gradient,
                         (L(p->data + h, q->data) - L(p->data - h, q->data)) / (2 * h), order_wrong, 1e-7);
  exercise::expect_value("∂L/∂q of L = u v + u, u = p q + p, v = u u + q", q->gradient,
                         (L(p->data, q->data + h) - L(p->data, q->data - h)) / (2 * h), order_wrong, 1e-7);
}

void expect_end(End end, const std::string& graph) {
  exercise::expect(end != End::crashed, recursion, "It crashed on " + graph + ".");
  exercise::expect(end != End::endless, too_slow, "It took too long for " + graph + ".");
  exercise::expect(end == End::right, order_wrong, "The order for " + graph + " is wrong.");
}

void deep(const TopologicalOrder& answer) {
  constexpr std::size_t n = 1'000'000;
  Graph graph;
  std::vector<Node*> nodes = {graph.leaf(1)};
  while (nodes.size() < n) nodes.push_back(graph.add(nodes.back(), nodes.back()));
  const auto right = [&] {
    const std::vector<Node*> order = answer(nodes.back());
    return std::equal(order.begin(), order.end(), nodes.rbegin(), nodes.rend());
  };
  expect_end(exercise::run_apart(right, 10), "a chain of a million nodes");
}

// Chains of 1 to 40 diamonds. Both sides of a diamond use x twice, so 4 paths lead through it, and n diamonds
// have 4ⁿ paths. The chain grows by one diamond at a time, so an answer that follows every path soon exceeds
// the time limit.
void many_ways(const TopologicalOrder& answer) {
  Graph graph;
  Node* x = graph.leaf(0.5);
  for (std::size_t rungs = 1; rungs <= 40; ++rungs) {
    Node *left = graph.add(x, x), *right = graph.mul(x, x);
    x = graph.add(left, right);
    const auto is_right = [&] {
      const std::vector<Node*> order = answer(x);
      return order.size() == 3 * rungs + 1 && !too_early(order).first;
    };
    expect_end(exercise::run_apart(is_right, 1), "a ladder of " + std::to_string(rungs) + " diamonds");
  }
}

}  // namespace

exercise::Exercise topological_order_exercise(const TopologicalOrder& answer) {
  return {.name = "topological_order",
          .stages = {{"a chain", [=] { chain(answer); }},
                     {"a node that is used twice", [=] { used_twice(answer); }},
                     {"a diamond", [=] { diamond(answer); }},
                     {"paths of different lengths", [=] { ways_of_different_lengths(answer); }},
                     {"200 random graphs", [=] { random_graphs(answer); }},
                     {"gradients", [=] { as_differences_say(answer); }},
                     {"a ladder of 40 diamonds", [=] { many_ways(answer); }},
                     {"a million nodes", [=] {
                        deep(answer);
                        used_often(answer);
                      }}}};
}
