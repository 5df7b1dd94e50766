// Tutorial 01: scalar autograd: the chain rule on a tape, written by hand.
//
// Tutorial 00 computed values. Here every operation also records its slopes on a tape. One walk back over the tape
// gives the derivative of the result with respect to every input. The library's engine appears only at the end, to
// compare gradients. The method is reverse accumulation: Baydin et al., "Automatic differentiation in machine learning:
// a survey" (2018), section 3.2, https://arxiv.org/abs/1502.05767.

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "support/page/report.hpp"
#include "support/pictures/graph_picture.hpp"
#include "support/tasks/xor.hpp"

using namespace gradus;

namespace {

std::int64_t hidden = 4;  // units of the network that learns XOR

// 1. The complete engine.

// An input of an operation, and d(result)/d(input) at the current values.
struct Edge {
  std::size_t from;
  double slope;
};

// One number on the tape: a leaf, which has no edges, or the result of an operation.
struct Node {
  std::string name;
  double data;
  std::vector<Edge> edges;
  double gradient = 0;  // d(L)/d(this), after backward(L)
};

using Tape = std::vector<Node>;  // in the order of computation: inputs before results

// A handle to a node: the tape and the node's index.
struct Value {
  Tape* tape;
  std::size_t at;

  Node& node() const { return (*tape)[at]; }
  double data() const { return node().data; }
};

Value put(Tape& tape, const std::string& name, double data, const std::vector<Edge>& edges = {}) {
  tape.push_back({name, data, edges});
  return {&tape, tape.size() - 1};
}

Value operator+(Value a, Value b) {  // d(a + b)/da = 1 and d(a + b)/db = 1
  return put(*a.tape, "+", a.data() + b.data(), {{a.at, 1}, {b.at, 1}});
}

Value operator*(Value a, Value b) {  // d(a b)/da = b and d(a b)/db = a
  return put(*a.tape, "*", a.data() * b.data(), {{a.at, b.data()}, {b.at, a.data()}});
}

Value tanh(Value x) {  // d(tanh x)/dx = 1 − y²
  const double y = std::tanh(x.data());
  return put(*x.tape, "tanh", y, {{x.at, 1 - y * y}});
}

void start(Value L) {
  for (Node& node : *L.tape) node.gradient = 0;
  L.node().gradient = 1;  // d(L)/d(L)
}

// The chain rule, from the newest node to the oldest. All uses of a node are newer than the node. So its gradient is
// complete when the walk reaches it. Gradients are *added*: a number that is used twice has two paths to L.
void backward(Value L) {
  start(L);
  Tape& tape = *L.tape;
  for (std::size_t i = L.at + 1; i-- > 0;) {
    for (const Edge& edge : tape[i].edges) tape[edge.from].gradient += tape[i].gradient * edge.slope;
  }
}

// 2. Three numbers: d = a b and L = d c. Adds 0.001 to one number at a time; L should change by 0.001 times the gradient.
tutorial::Table three_numbers() {
  Tape tape;
  const Value a = put(tape, "a", 2), b = put(tape, "b", 3), c = put(tape, "c", -4), d = a * b, L = d * c;
  backward(L);

  constexpr double step = 0.001;
  const std::vector<double> moved = {(2 + step) * 3 * -4, 2 * (3 + step) * -4, 2 * 3 * (-4 + step), (6 + step) * -4};
  const std::vector<std::string> names = {"a", "b", "c", "d = a b"};
  tutorial::Table table{.name = "three_numbers",
                        .rows_are = "number",
                        .columns = {"value", "L after adding 0.001", "change of L / 0.001", "gradient"}};
  for (std::size_t i = 0; i < 4; ++i) {
    table.rows.push_back({names[i], {tape[i].data, moved[i], (moved[i] - L.data()) / step, tape[i].gradient}});
  }
  return table;
}

// 3. Three wrong versions of backward().

// Mistake: assigns the gradient instead of adding to it, so only the use visited last counts.
void backward_assigning(Value L) {
  start(L);
  Tape& tape = *L.tape;
  for (std::size_t i = L.at + 1; i-- > 0;) {
    for (const Edge& edge : tape[i].edges) tape[edge.from].gradient = tape[i].gradient * edge.slope;
  }
}

// Mistake: goes depth first, so a node passes its gradient on before its other uses have contributed to it.
// With `once`, a node passes its gradient on only when it is first reached; otherwise, each time.
void go_down(Value y, bool once) {
  for (const Edge& edge : y.node().edges) {
    const Value x{y.tape, edge.from};
    const bool seen = x.node().gradient != 0;  // x was reached before, by another edge
    x.node().gradient += y.node().gradient * edge.slope;
    if (!once || !seen) go_down(x, once);
  }
}

// The gradients of c = 4 a, by the right rule and by each mistake. The graph is b = a + a, c = b + b.
tutorial::Table orders() {
  Tape tape;
  const Value a = put(tape, "a", 1), b = a + a, c = b + b;
  tutorial::Table table{.name = "orders", .rows_are = "backward", .columns = {"dc/db", "dc/da"}, .digits = 0};
  const auto add_row = [&](const std::string& name, const auto& rule) {
    rule();
    table.rows.push_back({name, {b.node().gradient, a.node().gradient}});
  };
  add_row("newest first, adding", [&] { backward(c); });
  add_row("newest first, assigning", [&] { backward_assigning(c); });
  add_row("depth first, at every use", [&] { start(c), go_down(c, /*once=*/false); });
  add_row("depth first, once a node", [&] { start(c), go_down(c, /*once=*/true); });
  return table;
}

// 4. A neuron: L = (tanh(w₁x₁ + w₂x₂ + b) − t)². The difference d is used twice.
Tape neuron() {
  Tape tape;
  const Value w_1 = put(tape, "w₁", -0.5), x_1 = put(tape, "x₁", 2), w_2 = put(tape, "w₂", 0.75);
  const Value x_2 = put(tape, "x₂", 1), b = put(tape, "b", 0.5), minus_t = put(tape, "−t", -1);
  const Value y = tanh(w_1 * x_1 + w_2 * x_2 + b), d = y + minus_t, L = d * d;
  backward(L);
  y.node().name = "y = tanh", d.node().name = "d = y − t", L.node().name = "L = d · d";  // shown in the picture
  return tape;
}

// 5. A network learns XOR: y = tanh(Σ_i v_i tanh(w_i1 x₁ + w_i2 x₂ + b_i) + c), L = Σ (y − t)² over the four examples.
// theta holds all w, b, v and c. The parameters stay at the beginning of the tape. Each step removes the nodes of the
// step before.
void compute_gradients(Tape& tape, const std::vector<Value>& theta) {
  tape.resize(theta.size());
  backward(tutorial::xor_loss(theta, [&](double number) { return put(tape, "constant", number); }));
}

// The largest difference between our gradients and the library's, for the same expression.
double difference_from_library(const std::vector<Value>& theta) {
  std::vector<Tensor> same;                                                   // () each
  for (const Value& parameter : theta) same.push_back(tensor(parameter.data(), Dtype::f64).set_requires_grad());
  tutorial::xor_loss(same, [](double number) { return tensor(number, Dtype::f64); }).backward();
  double largest = 0;
  for (std::size_t i = 0; i < theta.size(); ++i)
    largest = std::max(largest, std::abs(same[i].grad().item() - theta[i].node().gradient));
  return largest;
}

void run(const tutorial::Options& options) {
  const plot::OutputFolder out(options.out);
  const tutorial::Table numbers = three_numbers();
  std::cout << "d = a b, L = d c\n" << text(numbers);

  const tutorial::Table rules = orders();
  std::cout << "\nb = a + a, c = b + b, a = 1\n" << text(rules);

  const Tape graph = neuron();
  tutorial::Table leaves{.name = "neuron", .rows_are = "leaf", .columns = {"value", "gradient"}};
  for (const Node& node : graph)
    if (node.edges.empty()) leaves.rows.push_back({node.name, {node.data, node.gradient}});
  std::cout << "\na neuron\n" << text(leaves);

  Tape tape;
  std::vector<Value> theta;
  Generator generator(options.seed);
  for (std::int64_t i = 0; i < 4 * hidden + 1; ++i) theta.push_back(put(tape, "theta", 2 * generator.uniform() - 1));
  tutorial::Table outputs = tutorial::xor_targets();
  add_xor_outputs(outputs, "before", theta);
  compute_gradients(tape, theta);
  std::cout << "\nXOR: " << tape.size() << " nodes, " << theta.size()
            << " of them parameters; largest difference of a gradient from the library's: "
            << difference_from_library(theta) << '\n';
  for (std::int64_t step = 0; step < options.steps; ++step) {
    compute_gradients(tape, theta);
    for (const Value& parameter : theta) parameter.node().data -= 0.1 * parameter.node().gradient;
  }
  add_xor_outputs(outputs, "after", theta);
  std::cout << "outputs before and after " << options.steps << " steps of gradient descent\n" << text(outputs) << '\n';

  publish({.number = "01",
           .title = "scalar autograd",
           .intro = "Every operation on numbers leaves a node; the gradients flow back through them.",
           .sections = {{"A neuron", {{"neuron", tutorial::tape_svg("A neuron", graph)}}},
                        {"XOR", {}, text(outputs)}},
           .tables = {numbers, rules, leaves, outputs},
           .try_next = "--hidden 1, and look at the four outputs; then ./run tutorial 02"},
          out, options);
}

}  // namespace

int main(int argc, char** argv) {
  return tutorial::run(argc, argv, "Tutorial 01: scalar autograd", {.steps = 300, .out = "out/tutorial-01"}, run,
                       {{"--hidden", &hidden, "hidden units of the network"}});
}
