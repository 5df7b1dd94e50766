#pragma once

#include <gradus/autograd/shape.hpp>
#include <gradus/autograd/tensor.hpp>

#include <cstddef>
#include <iosfwd>
#include <vector>

/// An expression of smooth operations on leaves, made from arbitrary numbers: every list of choices gives
/// one, so that a failing graph can be made smaller by leaving choices out. Printed a line a value: "v3 =
/// mul(v1, v2)  (2, 3)".
class RandomGraph {
 public:
  /// Chooses the operation, its operands and its argument, each number among what is possible at its place.
  struct Choice {
    int operation, first, second, argument;
  };

  /// The leaves' shapes must broadcast.
  RandomGraph(const std::vector<gradus::Shape>& leaves, const std::vector<Choice>& choices);

  std::vector<gradus::Tensor> leaves() const;
  /// The values that no operation uses, one after another on one axis.
  gradus::Tensor operator()(const std::vector<gradus::Tensor>& leaves) const;

  friend std::ostream& operator<<(std::ostream& out, const RandomGraph& graph);

 private:
  struct Operation;
  static const std::vector<Operation>& operations();

  // A value: a leaf, or the result of an operation on the values a and b.
  struct Value {
    gradus::Shape shape;
    double bound;  // no element is larger: operations are chosen so that all stay small
    const Operation* operation = nullptr;
    std::size_t a = 0, b = 0;
    int argument = 0;
    bool used = false;
  };

  void grow(const Choice& choice);
  // The values that an operation can have as b.
  std::vector<std::size_t> partners(std::size_t a, const Operation& operation) const;
  void print(std::ostream& out, const Value& value) const;

  std::vector<Value> values_;
  std::size_t leaf_count_;
};
