#pragma once

#include <gradus/nn/module.hpp>

#include <functional>
#include <string>
#include <vector>

#include "finding.hpp"
#include "plain.hpp"

/// Assertions for stages. Each throws a Finding when it fails.
namespace exercise {

/// Formats a number for the learner.
std::string text(double value, int digits = 7);

/// Expects `got` to be defined and to have this shape. `axes` names the axes in the message: "(B, T)".
/// Reports `mistake`, or "shape" if `mistake` is empty.
void expect_shape(const std::string& what, const gradus::Tensor& got, const gradus::Shape& expected,
                  const std::string& axes, const Mistake& mistake = {});

/// A known mistake, and the values that it produces.
struct Suspect {
  Mistake mistake;
  Plain values;
};

/// Tolerance for results in double: |got − expected| ≤ bound · (1 + |expected|).
inline constexpr double in_double = 1e-8;

/// Expects `got` to equal `expected`, element by element. If `got` equals a suspect's values, reports that
/// suspect's mistake. For other values, reports `otherwise`. If `otherwise` is empty, reports a general slip:
/// a constant factor ("factor"), squares ("squared"), logarithms ("logarithm"), the right numbers in another
/// order ("reshaped"), rounding ("inexact"), NaN ("not-a-number"), or "values" if none fits.
void expect_values(const std::string& what, const gradus::Tensor& got, const Plain& expected,
                   const std::vector<Suspect>& suspects = {}, const Mistake& otherwise = {},
                   double bound = in_double);

/// True if `got` is defined and equals `expected` in shape and values.
bool has_values(const gradus::Tensor& got, const Plain& expected, double bound = in_double);

/// expect_values for one number.
void expect_value(const std::string& what, double got, double expected, const Mistake& otherwise = {},
                  double bound = in_double);

/// Runs `check`. If it fails with the mistake "values", which means that no known mistake fits, adds a text
/// to the finding. The function `given` returns this text, which shows the inputs.
void expect_given(const std::function<std::string()>& given, const std::function<void()>& check);

/// The elements of one row: "0.5, −1, 2".
std::string row_text(const Plain& x, std::int64_t row);

/// Expects `holds` to be true; otherwise reports `mistake` with the sentence `says`.
void expect(bool holds, const Mistake& mistake, const std::string& says, const std::string& got = {},
            const std::string& expected = {});

/// A parameter that a module must have.
struct Parameter {
  std::string name;  ///< its path: "W_a.weight"
  gradus::Shape shape;
  std::string axes;  ///< "(A, Q)"
};
/// Expects exactly these parameters. Reports "parameters" for wrong names and "parameter-shape" for wrong
/// shapes. Detects transposed parameters.
void expect_parameters(const gradus::nn::Module& module, const std::vector<Parameter>& expected);

/// Draws every parameter from N(0, deviation²), in the order of the names. All values differ, and none is 0.
/// Modules with equal parameter names and shapes get equal values.
void fill(gradus::nn::Module& module, std::uint64_t seed = 1, double deviation = 0.5);

/// The values of a parameter. @throws Finding "parameters" if the module has no parameter of that name
Plain parameter(const gradus::nn::Module& module, const std::string& name);

/// Checks the gradients of `f` in training mode (gradus::nn::gradcheck), with respect to every parameter of
/// `module` and every floating-point input. For a wrong gradient, reports `mistake`, or "gradient" if
/// `mistake` is empty. Reports "no-gradient" if a tensor's gradient is 0 everywhere and `may_be_zero` does
/// not list the tensor, "not-the-same-twice" if two calls differ, and "off-the-tape" if the result needs no
/// gradient. `names` are the inputs' names.
void expect_gradients(gradus::nn::Module& module,
                      const std::function<gradus::Tensor(const std::vector<gradus::Tensor>&)>& f,
                      const std::vector<gradus::Tensor>& inputs, const std::vector<std::string>& names,
                      const Mistake& mistake = {}, const std::vector<std::string>& may_be_zero = {});
/// Checks the gradients of `f` like expect_gradients() above, for a function without a module.
void expect_gradients(const std::function<gradus::Tensor(const std::vector<gradus::Tensor>&)>& f,
                      const std::vector<gradus::Tensor>& inputs, const std::vector<std::string>& names,
                      const Mistake& mistake = {}, const std::vector<std::string>& may_be_zero = {});

}  // namespace exercise
