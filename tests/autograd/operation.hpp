#pragma once

#include <gradus/autograd/random.hpp>
#include <gradus/autograd/tensor.hpp>

#include <cstdint>
#include <string>
#include <vector>

/// One row of the table of operations, which drives every test in operations.cpp.

using Tensors = std::vector<gradus::Tensor>;
using Integers = std::vector<std::int64_t>;

/// What a reference formula reads: one number at a time, in double.
struct Values {
  gradus::Shape shape;
  std::vector<double> numbers;

  explicit Values(const gradus::Tensor& tensor)
      : shape(tensor.shape()), numbers(tensor.to_vector<double>()) {}
  /// The element at `index` as broadcasting sees it: indices are matched with axes from the last, and an axis
  /// of size 1 gives its one element for any.
  double operator()(const Integers& index) const;
};

/// Where an operation's gradient can be checked by differences: away from its kinks and poles.
using Domain = double (*)(gradus::Generator&);
double anything(gradus::Generator& generator);
double positive(gradus::Generator& generator);
double nonzero(gradus::Generator& generator);

/// Inputs, arguments and the result's shape, read from text: "(2,3) (4)<5 {0,2} [1] -> (2,4)".
///
///     (2,3)      real numbers of this shape; "(2,3):i64" gives another dtype than the one asked for
///     (4)<5      ids below 5 of this shape
///     {0,2}      these integers, on one axis
///     [1]        arguments of the call
///     -> (2,4)   the shape of the result
struct Sample {
  struct Input {
    gradus::Shape shape;
    std::string dtype;  // empty: whatever is asked for
    Integers integers;  // for i64, unless dtype says so
  };
  std::vector<Input> inputs;
  Integers arguments;
  gradus::Shape result;

  explicit Sample(const std::string& text);
  /// The same values for any dtype, rounded to f32.
  Tensors tensors(Domain domain, gradus::Dtype dtype) const;
};

/// Inputs that an operation refuses, and the message in full.
struct Refusal {
  std::string sample;
  std::string message;
};

struct Operation {
  std::string name;          // as in ops.hpp
  std::string variant = {};  // tells overloads apart
  /// Calls it with a sample's tensors x and arguments a.
  gradus::Tensor (*call)(const Tensors& x, const Integers& a);
  /// The result's element at index i, by the plainest formula.
  double (*value)(const std::vector<Values>& x, const Integers& i, const Integers& a);
  std::vector<std::string> samples;
  std::vector<Refusal> refusals;
  Domain domain = anything;
  bool differentiable = true;
};

const std::vector<Operation>& operations();
