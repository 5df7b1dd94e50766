#pragma once

#include <gradus/autograd/random.hpp>
#include <gradus/autograd/tensor.hpp>

#include <cstdint>
#include <string>
#include <vector>

/// The types of the table of operations. The tests in every_operation.cpp run for each row of the table.

using Tensors = std::vector<gradus::Tensor>;
using Integers = std::vector<std::int64_t>;

/// A tensor's values in double, for use in reference formulas.
struct Values {
  gradus::Shape shape;
  std::vector<double> numbers;

  explicit Values(const gradus::Tensor& tensor)
      : shape(tensor.shape()), numbers(tensor.to_vector<double>()) {}
  /// The element at `index`, with broadcasting: `index` may have more axes than the tensor, and axes of size
  /// 1 ignore their index.
  double operator()(const Integers& index) const;
};

/// Draws an input value. positive() and nonzero() avoid kinks and poles, where finite differences are
/// invalid.
using Domain = double (*)(gradus::Generator&);
double anything(gradus::Generator& generator);
double positive(gradus::Generator& generator);
double nonzero(gradus::Generator& generator);

/// A parsed sample: inputs, arguments, and the result's shape. Example: "(2,3) (4)<5 {0,2} [1] -> (2,4)".
///
///     (2,3)      random real numbers of this shape; "(2,3):i64" has a fixed dtype
///     (4)<5      random ids below 5, of this shape
///     {0,2}      these integers, as one axis
///     [1]        the arguments of the call
///     -> (2,4)   the shape of the result
struct Sample {
  struct Input {
    gradus::Shape shape;
    std::string dtype;  // empty: the requested dtype
    Integers integers;  // for ids and listed integers; otherwise empty
  };
  std::vector<Input> inputs;
  Integers arguments;
  gradus::Shape result;

  explicit Sample(const std::string& text);
  /// The inputs as tensors. Values are rounded to f32 in every dtype, so that f32 and f64 get equal inputs.
  Tensors tensors(Domain domain, gradus::Dtype dtype) const;
};

/// A sample that the operation rejects, with the full error message.
struct Refusal {
  std::string sample;
  std::string message;
};

struct Operation {
  std::string name;          // its name in ops.hpp
  std::string variant = {};  // tells overloads apart
  /// Calls the operation with the tensors x and the arguments a.
  gradus::Tensor (*call)(const Tensors& x, const Integers& a);
  /// The reference: element i of the result, by the plainest formula.
  double (*value)(const std::vector<Values>& x, const Integers& i, const Integers& a);
  std::vector<std::string> samples;
  std::vector<Refusal> refusals;
  Domain domain = anything;
  bool differentiable = true;
};

const std::vector<Operation>& operations();
