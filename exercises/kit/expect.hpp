#pragma once

#include <gradus/nn/module.hpp>

#include <functional>
#include <string>
#include <vector>

#include "finding.hpp"
#include "plain.hpp"

/// What stages ask of a learner's results. Each throws a Finding when it is not so.
namespace exercise {

/// A number for the learner to read.
std::string text(double value, int digits = 7);

/// `got` is defined and has this shape; `axes` says what it means: "(B, T)".
/// A wrong one is `mistake`, or "shape".
void expect_shape(const std::string& what, const gradus::Tensor& got, const gradus::Shape& expected,
                  const std::string& axes, const Mistake& mistake = {});

/// What a known mistake would have given where something else is right.
struct Suspect {
  Mistake mistake;
  Plain values;
};

/// How far two numbers may be apart: bound · (1 + |expected|), for results that are computed in double.
inline constexpr double in_double = 1e-8;

/// `got` has the values `expected`, element by element. When it has instead those of one of the suspects,
/// that one is the mistake; else it is `otherwise`, or "values".
void expect_values(const std::string& what, const gradus::Tensor& got, const Plain& expected,
                   const std::vector<Suspect>& suspects = {}, const Mistake& otherwise = {},
                   double bound = in_double);

/// Whether `got` is defined and has the shape and the values `expected`.
bool has_values(const gradus::Tensor& got, const Plain& expected, double bound = in_double);

/// expect_values for one number.
void expect_value(const std::string& what, double got, double expected, const Mistake& otherwise = {},
                  double bound = in_double);

/// Something that must hold, said as it is when it does not.
void expect(bool holds, const Mistake& mistake, const std::string& says, const std::string& got = {},
            const std::string& expected = {});

/// A module has exactly these parameters, of these shapes. The mistakes are "parameters" (names) and
/// "parameter-shape", which looks at whether it is transposed.
struct Parameter {
  std::string name;  ///< its path: "W_a.weight"
  gradus::Shape shape;
  std::string axes;  ///< "(A, Q)"
};
void expect_parameters(const gradus::nn::Module& module, const std::vector<Parameter>& expected);

/// Draws every parameter anew, N(0, deviation²), in the order of their names, so that no value is 0 or the
/// same as another and every module with parameters of these names gets these numbers.
void fill(gradus::nn::Module& module, std::uint64_t seed = 1, double deviation = 0.5);

/// The values of a parameter. @throws Finding "parameters" when there is none of that name.
Plain parameter(const gradus::nn::Module& module, const std::string& name);

/// The gradients of every parameter of `module` and of every floating input through `f`, element by element,
/// in double, with random incoming gradients (gradus::nn::gradcheck). A wrong one is `mistake`, or
/// "gradient"; one that is 0 everywhere, "no-gradient", unless its name is in `may_be_zero`. `names`: of the
/// inputs.
void expect_gradients(gradus::nn::Module& module,
                      const std::function<gradus::Tensor(const std::vector<gradus::Tensor>&)>& f,
                      const std::vector<gradus::Tensor>& inputs, const std::vector<std::string>& names,
                      const Mistake& mistake = {}, const std::vector<std::string>& may_be_zero = {});
/// The same for a function that holds no module.
void expect_gradients(const std::function<gradus::Tensor(const std::vector<gradus::Tensor>&)>& f,
                      const std::vector<gradus::Tensor>& inputs, const std::vector<std::string>& names,
                      const Mistake& mistake = {}, const std::vector<std::string>& may_be_zero = {});

}  // namespace exercise
