#pragma once

#include <gradus/autograd/shape.hpp>
#include <gradus/autograd/tensor.hpp>

#include <cstddef>
#include <iosfwd>
#include <vector>

/// A random expression of smooth operations on leaves. Every list of choices is valid, so a failing graph
/// shrinks by removing choices. Printing gives one line per value: "v3 = mul(v1, v2)  (2, 3)".
class RandomGraph {
 public:
  /// Numbers that select an operation, its operands and its argument. Any number from 0 maps to a valid
  /// option.
  struct Choice {
    int operation, first, second, argument;
  };

  /// Leaves may have any shapes. If the shapes broadcast, elementwise operations can combine the leaves.
  RandomGraph(const std::vector<gradus::Shape>& leaves, const std::vector<Choice>& choices);

  std::vector<gradus::Tensor> leaves() const;
  /// The result: all values that no operation uses, flattened and concatenated.
  gradus::Tensor operator()(const std::vector<gradus::Tensor>& leaves) const;

  friend std::ostream& operator<<(std::ostream& out, const RandomGraph& graph);

 private:
  struct Operation;
  static const std::vector<Operation>& operations();

  // A leaf, or the result of `operation` on the values with indices a and b.
  struct Value {
    gradus::Shape shape;
    double bound;  // upper bound of |element|; only operations with a small bound are chosen
    const Operation* operation = nullptr;
    std::size_t a = 0, b = 0;
    int argument = 0;
    bool used = false;
  };

  void grow(const Choice& choice);
  // The indices of the values that can be the second operand, if value a is the first one.
  std::vector<std::size_t> partners(std::size_t a, const Operation& operation) const;
  void print(std::ostream& out, const Value& value) const;

  std::vector<Value> values_;
  std::size_t leaf_count_;
};
