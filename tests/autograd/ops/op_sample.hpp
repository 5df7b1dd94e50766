#pragma once

#include <gradus/autograd/random.hpp>
#include <gradus/autograd/tensor.hpp>

#include <cstdint>
#include <string>
#include <vector>

/// The table of operations, whose rows drive every test in operations.cpp.

using Tensors = std::vector<gradus::Tensor>;
using Integers = std::vector<std::int64_t>;

/// A tensor's values in double, for reference formulas.
struct Values {
  gradus::Shape shape;
  std::vector<double> numbers;

  explicit Values(const gradus::Tensor& tensor)
      : shape(tensor.shape()), numbers(tensor.to_vector<double>()) {}
  /// The element at `index` under broadcasting: indices match axes from the last, and an axis of size 1
  /// ignores its index.
  double operator()(const Integers& index) const;
};

/// Draws an input value away from an operation's kinks and poles, where finite differences are valid.
using Domain = double (*)(gradus::Generator&);
double anything(gradus::Generator& generator);
double positive(gradus::Generator& generator);
double nonzero(gradus::Generator& generator);

/// Inputs, arguments and the result's shape, parsed from text: "(2,3) (4)<5 {0,2} [1] -> (2,4)".
///
///     (2,3)      real numbers of this shape in the requested dtype; "(2,3):i64" sets another dtype
///     (4)<5      ids below 5 of this shape
///     {0,2}      these integers, on one axis
///     [1]        arguments of the call
///     -> (2,4)   the shape of the result
struct Sample {
  struct Input {
    gradus::Shape shape;
    std::string dtype;  // empty: the requested dtype
    Integers integers;  // ids or listed values; otherwise empty
  };
  std::vector<Input> inputs;
  Integers arguments;
  gradus::Shape result;

  explicit Sample(const std::string& text);
  /// The same values for any dtype, rounded to f32.
  Tensors tensors(Domain domain, gradus::Dtype dtype) const;
};

/// Inputs that an operation rejects, and the whole message.
struct Refusal {
  std::string sample;
  std::string message;
};

struct Operation {
  std::string name;          // as in ops.hpp
  std::string variant = {};  // distinguishes overloads
  /// Calls the operation with a sample's tensors x and arguments a.
  gradus::Tensor (*call)(const Tensors& x, const Integers& a);
  /// Element i of the result, by the plainest formula.
  double (*value)(const std::vector<Values>& x, const Integers& i, const Integers& a);
  std::vector<std::string> samples;
  std::vector<Refusal> refusals;
  Domain domain = anything;
  bool differentiable = true;
};

const std::vector<Operation>& operations();
