#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "support/page/table.hpp"

/// The task of tutorial 01, exclusive or, and a network for it. Number, the template parameter of the
/// formulas, can be a double, a value on a tape, or a tensor.
namespace tutorial {

struct XorExample {
  const char* name;
  double x_1, x_2, t;
};
constexpr XorExample xor_examples[] = {
    {"-1, -1", -1, -1, -1}, {"-1, 1", -1, 1, 1}, {"1, -1", 1, -1, 1}, {"1, 1", 1, 1, -1}};

/// y = tanh(Σ_i v_i tanh(w_i1 x₁ + w_i2 x₂ + b_i) + c) with theta = (w_11, w_12, b_1, v_1, w_21, …, c).
template <class Number>
Number network(const std::vector<Number>& theta, const Number& x_1, const Number& x_2) {
  using std::tanh;
  Number sum = theta.back();
  for (std::size_t i = 0; i + 4 < theta.size(); i += 4) {
    sum = sum + theta[i + 3] * tanh(theta[i] * x_1 + theta[i + 1] * x_2 + theta[i + 2]);
  }
  return tanh(sum);
}

/// L = Σ (y − t)² over the four examples. `constant` converts a double to a Number.
template <class Number, class Constant>
Number xor_loss(const std::vector<Number>& theta, Constant constant) {
  Number L = constant(0);
  for (const auto& [name, x_1, x_2, t] : xor_examples) {
    const Number d = network(theta, constant(x_1), constant(x_2)) + constant(-t);
    L = L + d * d;
  }
  return L;
}

/// Table "xor": one row per example, with its target.
inline Table xor_targets() {
  Table table{.name = "xor", .rows_are = "x₁, x₂", .columns = {"target"}};
  for (const XorExample& example : xor_examples) table.rows.push_back({example.name, {example.t}});
  return table;
}

/// Adds a column with the network's outputs. They are computed in double from theta's data().
template <class Value>
void add_xor_outputs(Table& table, const std::string& column, const std::vector<Value>& theta) {
  std::vector<double> numbers;
  for (const Value& parameter : theta) numbers.push_back(parameter.data());
  table.columns.push_back(column);
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    table.rows[i].values.push_back(network(numbers, xor_examples[i].x_1, xor_examples[i].x_2));
  }
}

}  // namespace tutorial
