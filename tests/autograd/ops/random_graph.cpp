#include "random_graph.hpp"

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>
#include <utility>

using gradus::Dtype;
using gradus::Shape;
using gradus::Tensor;

namespace {

using Tensors = std::vector<Tensor>;

constexpr std::int64_t max_numel = 24;
constexpr double max_bound = 8;

// Maps any number to an index below `count`.
std::size_t at(int number, std::size_t count) { return static_cast<std::size_t>(number) % count; }

bool broadcasts(const Shape& a, const Shape& b) {
  std::int64_t numel = 1;
  for (int axis = 1; axis <= std::max(a.rank(), b.rank()); ++axis) {
    const std::int64_t x = axis <= a.rank() ? a[-axis] : 1, y = axis <= b.rank() ? b[-axis] : 1;
    if (x != y && x != 1 && y != 1) return false;
    numel *= std::max(x, y);
  }
  return numel <= max_numel;
}

bool always(const Shape&, const Shape&) { return true; }
bool has_axis(const Shape& a, const Shape&) { return a.rank() > 0; }
bool may_triple(const Shape& a, const Shape&) {
  return a.rank() > 0 && a.without(0).numel() * 3 <= max_numel;
}
bool concatenates(const Shape& a, const Shape& b) {
  return a.rank() > 0 && b.rank() > 0 && a.without(0) == b.without(0) && a.numel() + b.numel() <= max_numel;
}
bool stacks(const Shape& a, const Shape& b) { return a == b && a.rank() < 4 && 2 * a.numel() <= max_numel; }
bool multiplies(const Shape& a, const Shape& b) {
  return a.rank() == 2 && b.rank() == 2 && a[1] == b[0] && a[0] * b[1] <= max_numel;
}
bool maps(const Shape& x, const Shape& weight) {
  return x.rank() > 0 && weight.rank() == 2 && x[-1] == weight[1] &&
         x.without(-1).numel() * weight[0] <= max_numel;
}

int one(const Shape&) { return 1; }
int axes(const Shape& a) { return a.rank(); }
int elements(const Shape& a) { return static_cast<int>(a[0]); }

// Upper bounds of |element| for a result. a and b are such bounds for the first and the second operand; n is
// the number of elements of the first operand.
double unit(double, double, double) { return 1; }
double e(double, double, double) { return std::exp(1); }
double first(double a, double, double) { return a; }
double larger(double a, double b, double) { return std::max(a, b); }
double added(double a, double b, double) { return a + b; }
double multiplied(double a, double b, double) { return a * b; }
double summed(double a, double, double n) { return n * a; }
double dotted(double a, double b, double n) { return n * a * b; }
double logarithm(double a, double, double n) { return 2 * a + std::log(n); }

}  // namespace

struct RandomGraph::Operation {
  std::string text;  // uses A and B for the operands, N for the argument
  bool (*fits)(const Shape& a, const Shape& b);
  int (*arguments)(const Shape& a);  // the number of valid values of N
  double (*bound)(double a, double b, double n);
  Tensor (*call)(const Tensor& a, const Tensor& b, int n);

  bool reads_b() const { return text.find('B') != std::string::npos; }
  double result_bound(const Value& a, const Value& b) const {
    return bound(a.bound, b.bound, static_cast<double>(a.shape.numel()));
  }
};

const std::vector<RandomGraph::Operation>& RandomGraph::operations() {
  static const std::vector<Operation> all = {
      {"tanh(A)", always, one, unit, [](auto& a, auto&, int) { return tanh(a); }},
      {"add(A, B)", broadcasts, one, added, [](auto& a, auto& b, int) { return add(a, b); }},
      {"sub(A, B)", broadcasts, one, added, [](auto& a, auto& b, int) { return sub(a, b); }},
      {"mul(A, B)", broadcasts, one, multiplied, [](auto& a, auto& b, int) { return mul(a, b); }},
      {"sigmoid(A)", always, one, unit, [](auto& a, auto&, int) { return sigmoid(a); }},
      {"exp(tanh(A))", always, one, e, [](auto& a, auto&, int) { return exp(tanh(a)); }},
      {"div(A, exp(tanh(B)))", broadcasts, one, [](double a, double, double) { return a * std::exp(1); },
       [](auto& a, auto& b, int) { return div(a, exp(tanh(b))); }},
      {"sum(A, N)", has_axis, axes, summed, [](auto& a, auto&, int n) { return sum(a, n); }},
      {"mean(A, N)", has_axis, axes, first, [](auto& a, auto&, int n) { return mean(a, n); }},
      {"mean(A, N, true)", has_axis, axes, first, [](auto& a, auto&, int n) { return mean(a, n, true); }},
      {"softmax(A)", has_axis, one, unit, [](auto& a, auto&, int) { return softmax(a); }},
      {"log_softmax(A)", has_axis, one, logarithm, [](auto& a, auto&, int) { return log_softmax(a); }},
      {"matmul(A, B)", multiplies, one, dotted, [](auto& a, auto& b, int) { return matmul(a, b); }},
      {"linear(A, B)", maps, one, dotted, [](auto& a, auto& b, int) { return linear(a, b); }},
      {"transpose(A, N, -1)", has_axis, axes, first,
       [](auto& a, auto&, int n) { return transpose(a, n, -1); }},
      {"reshape(A, {-1})", always, one, first, [](auto& a, auto&, int) { return a.reshape({-1}); }},
      {"concat({A, B}, 0)", concatenates, one, larger,
       [](auto& a, auto& b, int) { return gradus::concat({a, b}, 0); }},
      {"stack({A, B})", stacks, one, larger, [](auto& a, auto& b, int) { return gradus::stack({a, b}); }},
      {"A.slice(0, 1, N)", has_axis, axes, first, [](auto& a, auto&, int n) { return a.slice(0, 1, n); }},
      {"flip(A, N)", has_axis, axes, first, [](auto& a, auto&, int n) { return flip(a, n); }},
      {"cumsum(A, N)", has_axis, axes, summed, [](auto& a, auto&, int n) { return cumsum(a, n); }},
      {"logsumexp(A, N)", has_axis, axes, logarithm, [](auto& a, auto&, int n) { return logsumexp(a, n); }},
      {"layer_norm(A)", has_axis, one, summed,
       [](auto& a, auto&, int) { return layer_norm(a, {}, {}, 1.0); }},
      {"softplus(A)", always, one, [](double a, double, double) { return a + 1; },
       [](auto& a, auto&, int) { return softplus(a); }},
      {"A[N]", has_axis, elements, first, [](auto& a, auto&, int n) { return a[n]; }},
      {"index_select(A, {N, 0, N})", may_triple, elements, first,
       [](auto& a, auto&, int n) {
         return index_select(a, gradus::tensor(std::vector<std::int64_t>{n, 0, n}, {3}));
       }},
  };
  return all;
}

RandomGraph::RandomGraph(const std::vector<Shape>& leaves, const std::vector<Choice>& choices)
    : leaf_count_(leaves.size()) {
  for (const Shape& shape : leaves) values_.push_back({.shape = shape, .bound = 1});
  for (const Choice& choice : choices) grow(choice);
}

std::vector<std::size_t> RandomGraph::partners(std::size_t a, const Operation& operation) const {
  std::vector<std::size_t> found;
  const Value& x = values_[a];
  for (std::size_t b = 0; b < values_.size(); ++b) {
    if (b != a && !operation.reads_b()) continue;
    const Value& y = values_[b];
    if (operation.fits(x.shape, y.shape) && operation.result_bound(x, y) <= max_bound) found.push_back(b);
  }
  return found;
}

void RandomGraph::grow(const Choice& choice) {
  const std::size_t a = at(choice.first, values_.size());
  std::vector<const Operation*> possible;
  for (const Operation& operation : operations()) {
    if (!partners(a, operation).empty()) possible.push_back(&operation);
  }
  const Operation& operation = *possible[at(choice.operation, possible.size())];
  const std::vector<std::size_t> fitting = partners(a, operation);
  const std::size_t b = fitting[at(choice.second, fitting.size())];

  Value &x = values_[a], &y = values_[b];
  const int argument = choice.argument % operation.arguments(x.shape);
  const auto of = [](const Value& value) { return gradus::zeros(value.shape, Dtype::f64); };
  const Shape shape = operation.call(of(x), of(y), argument).shape();
  x.used = y.used = true;
  values_.push_back({shape, operation.result_bound(x, y), &operation, a, b, argument});
}

Tensors RandomGraph::leaves() const {
  gradus::Generator generator(1);
  Tensors leaves;
  for (std::size_t i = 0; i < leaf_count_; ++i)
    leaves.push_back(uniform(values_[i].shape, -1, 1, generator, Dtype::f64));
  return leaves;
}

Tensor RandomGraph::operator()(const Tensors& leaves) const {
  Tensors computed = leaves, results;
  for (std::size_t i = leaf_count_; i < values_.size(); ++i) {
    const Value& value = values_[i];
    computed.push_back(value.operation->call(computed[value.a], computed[value.b], value.argument));
  }
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (!values_[i].used) results.push_back(computed[i].reshape({-1}));
  }
  return gradus::concat(results, 0);
}

void RandomGraph::print(std::ostream& out, const Value& value) const {
  if (value.operation == nullptr) {
    out << "leaf";
    return;
  }
  for (const char c : value.operation->text) {
    switch (c) {
      case 'A':
        out << 'v' << value.a;
        break;
      case 'B':
        out << 'v' << value.b;
        break;
      case 'N':
        out << value.argument;
        break;
      default:
        out << c;
    }
  }
}

std::ostream& operator<<(std::ostream& out, const RandomGraph& graph) {
  for (std::size_t i = 0; i < graph.values_.size(); ++i) {
    out << 'v' << i << " = ";
    graph.print(out, graph.values_[i]);
    out << "  " << graph.values_[i].shape << '\n';
  }
  return out;
}
