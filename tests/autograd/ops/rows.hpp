#pragma once

#include <gradus/autograd/fused.hpp>
#include <gradus/autograd/ops.hpp>

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "op_sample.hpp"

/// Helpers of rows_*.cpp, which hold the rows of the table of operations. There is one file for each section
/// of ops.hpp, and two more (fused, sequences) for fused.hpp and packing.hpp.

using gradus::Axes;
using gradus::Dtype;
using gradus::Generator;
using gradus::Shape;
using gradus::Tensor;

using X = const Tensors&;              // the tensors of a call
using V = const std::vector<Values>&;  // their values in double
using I = const Integers&;             // an index into the result
using A = const Integers&;             // the other arguments of the call

// Σ_{k < n} term(k)
template <class Term>
double total(std::int64_t n, Term term) {
  double result = 0;
  for (std::int64_t k = 0; k < n; ++k) result += term(k);
  return result;
}

inline Integers with(Integers index, std::int64_t axis, std::int64_t position) {
  index[static_cast<std::size_t>(axis)] = position;
  return index;
}
inline Integers with_last(Integers index, std::int64_t position) {
  index.back() = position;
  return index;
}
inline Integers inserted(Integers index, std::int64_t axis, std::int64_t position) {
  index.insert(index.begin() + axis, position);
  return index;
}
inline Integers without_first(I index) { return {index.begin() + 1, index.end()}; }
inline Integers without_last(I index) { return {index.begin(), index.end() - 1}; }
inline std::int64_t flat(I index, I sizes) {
  std::int64_t at = 0;
  for (std::size_t axis = 0; axis < sizes.size(); ++axis) at = at * sizes[axis] + index[axis];
  return at;
}
inline Shape shape_of(I sizes) { return Shape(std::span<const std::int64_t>(sizes)); }
inline double percent(std::int64_t n) { return static_cast<double>(n) / 100; }

inline const std::vector<std::string> one_tensor = {
    "() -> ()", "(1) -> (1)", "(7) -> (7)", "(0) -> (0)", "(3,0,2) -> (3,0,2)", "(3,37) -> (3,37)",
};

// clang-format off
inline const std::vector<std::string> two_tensors = {
    "() () -> ()",               "(1) (1) -> (1)",            "(5) (5) -> (5)",
    "(2,3) (2,3) -> (2,3)",      "(3,19) (3,19) -> (3,19)",   "(2,1,3) (2,1,3) -> (2,1,3)",
    "(2,3) () -> (2,3)",         "() (2,3) -> (2,3)",         // a scalar
    "(3,5) (5) -> (3,5)",        "(5) (3,5) -> (3,5)",        // a row
    "(3,5) (3,1) -> (3,5)",      "(3,1) (3,5) -> (3,5)",      // a column
    "(3,1) (1,5) -> (3,5)",      "(1,5) (3,1) -> (3,5)",      // a row and a column
    "(2,3,4) (3,1) -> (2,3,4)",  "(3,1) (2,3,4) -> (2,3,4)",  // leading axes as well
    "(2,3,4) (2,1,4) -> (2,3,4)", "(2,1,4) (3,1) -> (2,3,4)", "(1,1,4) (2,3,1) -> (2,3,4)",
    "(2,1,3,1,2) (4,1,5,1) -> (2,4,3,5,2)",
    "(0) (0) -> (0)",            "(0,3) (3) -> (0,3)",        "(3,0) (3,1) -> (3,0)",
    "(1) (0) -> (0)",            "(2,0,3) (1,3) -> (2,0,3)",
};
// clang-format on

inline Refusal integers(const std::string& operation, const std::string& sample) {
  return {sample, operation +
                      ": works on f32 or f64, not on i64; convert to the dtype of your other tensors: "
                      ".to(other.dtype())"};
}

inline std::vector<Refusal> refusals_of_one(const std::string& operation) {
  return {integers(operation, "(2):i64")};
}

inline std::vector<Refusal> refusals_of_two(const std::string& operation) {
  const std::string advice = ": sizes must be equal, or one of them 1";
  return {
      {"(2,3) (4)", operation + ": shapes (2, 3) and (4) do not match at axis -1 (3 and 4)" + advice},
      {"(3,1) (2,4,5)",
       operation + ": shapes (3, 1) and (2, 4, 5) do not match at axis -2 (3 and 4)" + advice},
      {"(0) (2)", operation + ": shapes (0) and (2) do not match at axis -1 (0 and 2)" + advice},
      {"(2):f32 (3):f64", operation + ": (2) is f32 and (3) is f64; convert one with .to(other.dtype())"},
      {"(2):i64 (2):f32", operation + ": (2) is i64 and (2) is f32; convert one with .to(other.dtype())"},
      integers(operation, "(2):i64 (2):i64"),
  };
}

inline Refusal no_axis(const std::string& operation, const std::string& arguments, int axis) {
  return {"(2,3) " + arguments, operation + ": there is no axis " + std::to_string(axis) +
                                    " in (2, 3); it has 2 axes, counted from 0"};
}

using Call = Tensor (*)(X, A);
using Value = double (*)(V, I, A);

// A row for an elementwise operation.
inline Operation one(const std::string& name, Call call, Value value, Domain domain = anything) {
  return {.name = name,
          .call = call,
          .value = value,
          .samples = one_tensor,
          .refusals = refusals_of_one(name),
          .domain = domain};
}
inline Operation two(const std::string& name, Call call, Value value, Domain domain = anything) {
  return {.name = name,
          .call = call,
          .value = value,
          .samples = two_tensors,
          .refusals = refusals_of_two(name),
          .domain = domain};
}
// A copy of `row` with another name and variant, for an operator such as +.
inline Operation by(const std::string& name, const std::string& variant, Operation row) {
  row.name = name;
  row.variant = variant;
  return row;
}

inline int axis_of(std::int64_t n) { return static_cast<int>(n); }

// The rows of each file rows_*.cpp.
std::vector<Operation> elementwise();
std::vector<Operation> choosing();
std::vector<Operation> reductions();
std::vector<Operation> products();
std::vector<Operation> layout();
std::vector<Operation> indexing();
std::vector<Operation> normalising();
std::vector<Operation> losses();
std::vector<Operation> fused();
std::vector<Operation> sequences();
