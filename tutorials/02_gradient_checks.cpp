// Tutorial 02: tensors and gradient checks: broadcasting backward, and finite differences.
//
// Tutorial 01 had rules for numbers. Tensors need one more rule, for broadcasting. To check a gradient, use a finite
// difference: change one input by a small step and measure the change of the result. This program measures which step is
// best. The coefficients of its difference formulas are from the tables of Fornberg, "Generation of finite difference formulas on
// arbitrarily spaced grids" (1988), https://doi.org/10.1090/S0025-5718-1988-0935077-0.

#include <gradus/autograd/gradcheck.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/autograd/recording.hpp>
#include <gradus/autograd/tape.hpp>
#include <gradus/plot/curves.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>
#include <limits>
#include <tuple>
#include <utility>

#include "support/page/report.hpp"

using namespace gradus;

namespace {

using Tensors = std::vector<Tensor>;

double largest(const Tensor& x) { return max(abs(x)).item(); }

// 1. Broadcasting backward. Forward, an element is stretched to many places; backward, the places' gradients add up.
Tensor sum_to(Tensor g, const Shape& shape) {
  while (g.rank() > shape.rank()) g = sum(g, 0);                              // axes that were missing at the front
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] == 1) g = sum(g, axis, /*keep=*/true);                    // axes of size 1
  }
  return g;                                                                   // shape
}

void compare_broadcasting(const Shape& a_shape, const Shape& b_shape, Generator& generator) {
  const Tensor a = normal(a_shape, 0, 1, generator, Dtype::f64).set_requires_grad();
  const Tensor b = normal(b_shape, 0, 1, generator, Dtype::f64).set_requires_grad();
  const Tensor y = a * b;                                                     // the broadcast shape
  const Tensor g = normal(y.shape(), 0, 1, generator, Dtype::f64);            // dL/dy of some L
  y.backward(g);

  const NoGrad no_grad;
  const Tensor da = sum_to(g * b, a_shape), db = sum_to(g * a, b_shape);      // a_shape, b_shape
  std::cout << "  " << a_shape << " * " << b_shape << " -> " << y.shape() << ": gradients " << a.grad().shape()
            << " and " << b.grad().shape() << ", largest difference "
            << std::max(largest(da - a.grad()), largest(db - b.grad())) << '\n';
}

// 2. The product Y = A B and its backward pass. A is (M, K), B is (K, N), and g = dL/dY is (M, N).
std::pair<Tensor, Tensor> product_backward(const Tensor& A, const Tensor& B, const Tensor& g) {
  return {matmul(g, transpose(B, 0, 1)),                                      // (M, N) (N, K) = (M, K), like A
          matmul(transpose(A, 0, 1), g)};                                     // (K, M) (M, N) = (K, N), like B
}

void compare_product(Generator generator) {
  constexpr std::int64_t M = 2, K = 3, N = 4;  // all different, so that a wrong transpose raises an error
  const Tensor A = normal({M, K}, 0, 1, generator, Dtype::f64).set_requires_grad();
  const Tensor B = normal({K, N}, 0, 1, generator, Dtype::f64).set_requires_grad();
  const Tensor g = normal({M, N}, 0, 1, generator, Dtype::f64);
  matmul(A, B).backward(g);

  const NoGrad no_grad;
  const auto [dA, dB] = product_backward(A, B, g);                            // (M, K), (K, N)
  std::cout << "\nmatmul, backward: product_backward compared with the library\n  " << A.shape() << " times " << B.shape()
            << ": gradients " << dA.shape() << " and " << dB.shape() << ", largest difference "
            << std::max(largest(dA - A.grad()), largest(dB - B.grad())) << '\n';
}

// 3. Finite differences. Without rounding, a formula of order p has an error proportional to h^p.
using Along = std::function<double(double h)>;  // f(x + h e), where e selects one element of x

struct Formula {
  std::string name;
  int p;
  double (*derivative)(const Along& f, double h);
};
const std::vector<Formula> formulas = {
    {"2-point forward", 1, [](const Along& f, double h) { return (f(h) - f(0)) / h; }},
    {"2-point central", 2, [](const Along& f, double h) { return (f(h) - f(-h)) / (2 * h); }},
    {"4-point central", 4,
     [](const Along& f, double h) { return (f(-2 * h) - 8 * f(-h) + 8 * f(h) - f(2 * h)) / (12 * h); }},
};

// A smooth function of a matrix, computed in the dtype of x.
struct Function {
  Tensor W, r;  // (4, 5), (3, 5)

  Tensor operator()(const Tensor& x) const {  // x (3, 4)
    return sum(r.to(x.dtype()) * tanh(matmul(x, W.to(x.dtype()))));           // ()
  }
};

// The largest error of a numeric gradient, divided by the largest element of the right gradient.
double error(const Formula& formula, const Function& f, const Tensor& x, const Tensor& gradient, double h) {
  const NoGrad no_grad;
  const Tensor units = one_hot(arange(x.numel()), x.numel(), x.dtype());      // (12, 12)
  const std::vector<double> right = gradient.to_vector<double>();
  double worst = 0;
  for (std::int64_t i = 0; i < x.numel(); ++i) {
    const Tensor unit = units[i].reshape(x.shape());                          // (3, 4): 1 at element i
    const double numeric = formula.derivative([&](double to) { return f(x + unit * to).item(); }, h);
    worst = std::max(worst, std::abs(numeric - right[static_cast<std::size_t>(i)]));
  }
  return worst / largest(gradient);
}

// One curve of error against step h for each dtype and formula. The table compares the lowest point of each curve with theory:
// for a formula of order p, h^p + ε/h is smallest near h = ε^(1/(p+1)). ε is the distance from 1 to the next larger number.
tutorial::Table measure(const Function& f, const Tensor& x, plot::Curves& curves) {
  Tensor leaf = x.to(Dtype::f64).clone();                                     // (3, 4)
  f(leaf.set_requires_grad()).backward();
  tutorial::Table table{.name = "smallest",
                        .rows_are = "formula",
                        .columns = {"log10 of the error", "in theory", "log10 of its step", "in theory", "error at 0.001"},
                        .digits = 1};
  for (const Dtype dtype : {Dtype::f64, Dtype::f32}) {
    const double epsilon = dtype == Dtype::f64 ? std::numeric_limits<double>::epsilon()
                                               : double(std::numeric_limits<float>::epsilon());
    for (std::size_t i = 0; i < formulas.size(); ++i) {
      const Formula& formula = formulas[i];
      const auto error_at = [&](double h) { return error(formula, f, x.to(dtype), leaf.grad(), h); };
      plot::Series series{.name = formula.name + ", " + name(dtype),
                          .mark = dtype == Dtype::f64 ? plot::Mark::line : plot::Mark::dashed,
                          .colour = i};
      for (double log_h = 0; log_h >= -14; log_h -= 0.25) {
        series.x.push_back(log_h);
        series.y.push_back(error_at(std::pow(10, log_h)));
      }
      const auto lowest = std::min_element(series.y.begin(), series.y.end());
      const double at = series.x[static_cast<std::size_t>(lowest - series.y.begin())];
      const double p = formula.p, log_epsilon = std::log10(epsilon);
      table.rows.push_back({series.name,
                            {std::log10(*lowest), log_epsilon * p / (p + 1), at, log_epsilon / (p + 1),
                             std::log10(error_at(0.001))}});
      curves.series.push_back(std::move(series));
    }
  }
  return table;
}

// 4. gradcheck on gradients that are right, wrong, missing, hidden or undefined.

// tanh with a wrong derivative: 1 − x² instead of 1 − y².
Tensor tanh_taken_at_x(const Tensor& x) {
  const Tensor y = tanh(x).detach();                                          // the shape of x
  return record("tanh_taken_at_x", y, {x}, {x},
                [](Gradients& g) { g.add(0, g.out() * (1.0 - g.saved(0) * g.saved(0))); });
}

// tanh that does not record its last element: the gradient of this element is missing.
Tensor tanh_without_the_last(const Tensor& x) {
  const std::int64_t last = x.size(0) - 1;
  return concat({tanh(x.slice(0, last)), tanh(x.slice(last, last + 1).detach())}, 0);  // the shape of x
}

tutorial::Table checks(const Tensor& x) {
  const std::vector<std::tuple<std::string, std::function<Tensor(const Tensors&)>, Tensor>> functions = {
      {"tanh", [](const Tensors& in) { return tanh(in[0]); }, x},
      {"derivative taken at x", [](const Tensors& in) { return tanh_taken_at_x(in[0]); }, x},
      {"last element detached", [](const Tensors& in) { return tanh_without_the_last(in[0]); }, x},
      {"multiplied by 0", [](const Tensors& in) { return tanh_taken_at_x(in[0]) * 0.0; }, x},
      {"relu, and an element is 0", [](const Tensors& in) { return relu(in[0]); }, x * tensor({1, 0, 1, 1, 1})}};
  tutorial::Table table{
      .name = "checks", .rows_are = "function", .columns = {"elements", "wrong", "not judged"}, .digits = 0};
  for (const auto& [name, f, at] : functions) {
    const GradcheckReport report = gradcheck(f, {at});
    std::cout << name << ": " << report;
    const GradcheckEntry& entry = report.entries[0];
    table.rows.push_back({name, {double(entry.shape.numel()), double(entry.wrong), double(entry.not_judged)}});
  }
  return table;
}

void run(const tutorial::Options& options) {
  const plot::OutputFolder out(options.out);
  Generator generator(options.seed);
  std::cout << "broadcasting, backward: sum_to compared with the library\n";
  compare_broadcasting({3, 4}, {4}, generator);
  compare_broadcasting({3, 1}, {1, 4}, generator);
  compare_broadcasting({2, 1, 4}, {3, 1}, generator);
  compare_broadcasting({}, {2, 3}, generator);
  compare_product(Generator(options.seed));

  const Function f{normal({4, 5}, 0, 0.5, generator), normal({3, 5}, 0, 1, generator)};
  const Tensor x = normal({3, 4}, 0, 1, generator);                           // (3, 4)
  plot::Curves curves{.title = "Error of a difference against its step",
                      .x_label = "log10 of the step h",
                      .y_label = "largest error, relative",
                      .log_y = true};
  const tutorial::Table smallest = measure(f, x, curves);
  std::cout << "\ndifferences\n" << text(smallest) << '\n';

  const tutorial::Table checked = checks(normal({5}, 0, 1, generator));
  std::cout << '\n' << text(checked) << '\n';

  publish({.number = "02",
           .title = "gradient checks",
           .intro = "With too large a step the formula is inaccurate; with too small a step rounding dominates.",
           .sections = {{"Error against step", {{"differences", plot::svg(curves)}}, text(smallest)},
                        {"The library's gradcheck", {}, text(checked)}},
           .tables = {smallest, checked},
           .try_next = "another function in place of tanh in Function; then ./run tutorial 03"},
          out, options);
}

}  // namespace

int main(int argc, char** argv) {
  return tutorial::run(argc, argv, "Tutorial 02: tensors and gradient checks", {.out = "out/tutorial-02"}, run);
}
