#include "expect.hpp"

#include <gradus/autograd/random.hpp>
#include <gradus/error.hpp>
#include <gradus/nn/gradcheck.hpp>

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

namespace exercise {

namespace {

using gradus::Shape;
using gradus::Tensor;

// `mistake`, with `name` and `hint` as defaults for its empty fields.
Mistake named(Mistake mistake, const std::string& name, const std::string& hint) {
  if (mistake.name.empty()) mistake.name = name;
  if (mistake.hint.empty()) mistake.hint = hint;
  return mistake;
}

std::string place(const std::string& what, const std::vector<std::int64_t>& index) {
  std::string out = what;
  for (std::size_t i = 0; i < index.size(); ++i) {
    out += i == 0 ? "[" : ", ";
    out += std::to_string(index[i]);
  }
  return index.empty() ? out : out + "]";
}

bool close(double got, double expected, double bound) {
  if (std::isinf(expected)) return got == expected;
  if (std::isnan(expected)) return std::isnan(got);
  return std::abs(got - expected) <= bound * (1 + std::abs(expected));  // false if exactly one is NaN
}

bool same(const std::vector<double>& got, const Plain& expected, double bound) {
  const auto near = [&](double a, double b) { return close(a, b, bound); };
  return std::equal(got.begin(), got.end(), expected.values().begin(), expected.values().end(), near);
}

// f(e) for each element.
template <class F>
Plain each(const Plain& x, const F& f) {
  std::vector<double> y = x.values();
  std::transform(y.begin(), y.end(), y.begin(), f);
  return Plain(gradus::tensor(y, x.shape()));
}

bool any_nan(const std::vector<double>& x) {
  return std::any_of(x.begin(), x.end(), [](double value) { return std::isnan(value); });
}

// Returns r if got = r · expected. If only one expected value is not 0, a single number determines r, which
// proves little. In this case, only the usual mistakes −1, 2 and ½ count.
std::optional<double> factor(const std::vector<double>& got, const Plain& expected, double bound) {
  const std::vector<double>& e = expected.values();
  const auto there = std::count_if(e.begin(), e.end(), [](double value) { return std::abs(value) > 1e-6; });
  for (std::size_t i = 0; i < e.size(); ++i) {
    if (std::abs(e[i]) <= 1e-6) continue;
    const double r = got[i] / e[i];
    if (!std::isfinite(r)) return std::nullopt;
    const bool likely = there > 1 || r == -1 || close(r, 2, bound) || close(r, 0.5, bound);
    const bool holds = r != 0 && same(got, each(expected, [=](double x) { return r * x; }), bound);
    return likely && holds ? std::optional(r) : std::nullopt;
  }
  return std::nullopt;
}

// Names a slip that explains the result, and that can occur in any exercise.
Mistake slip(const std::vector<double>& got, const Plain& expected, double bound) {
  if (any_nan(got)) {
    return {"not-a-number", "",
            "NaN comes from 0/0, ∞/∞, ∞ − ∞ or 0 · ∞: which intermediate result is 0 or infinite?"};
  }
  if (const auto r = factor(got, expected, bound); r && std::abs(*r - 1) > 1e-5) {
    return {"factor", "Every element is " + text(*r, 4) + " times the expected one.",
            "Which sum, mean or constant of your code is not in the equation?"};
  }
  const bool several = got.size() > 1;  // a single 0 or 1 equals its own square; a single 0 may be ln 1
  if (several && same(got, each(expected, [](double x) { return x * x; }), bound))
    return {"squared", "These are the squares of the expected values.", "Compare the exponents."};
  if (several && same(got, each(expected, [](double x) { return std::log(x); }), bound))
    return {"logarithm", "These are the logarithms of the expected values.",
            "Return the values themselves, not log_softmax."};
  if (same(got, expected, 1e-5))
    return {"inexact", "The values agree to many digits, but not to all.",
            "Is a number rounded or shifted: a float in place of a double, f32 in place of f64, an added ε?"};
  std::vector<double> a = got, b = expected.values();
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  if (a.size() > 3 && a.front() != a.back() && same(a, Plain(gradus::tensor(b, expected.shape())), bound))
    return {"reshaped", "These are the right numbers in another order.",
            "Is an axis exchanged or reversed? reshape keeps the order in memory; transpose exchanges axes."};
  return {"values", "", "Compute this element by hand from the equation."};
}

// Two different numbers as text, with enough digits to tell them apart.
std::pair<std::string, std::string> apart(double a, double b) {
  int digits = 7;
  while (digits < 17 && text(a, digits) == text(b, digits)) ++digits;
  return {text(a, digits), text(b, digits)};
}

void expect_gradients(const gradus::GradcheckReport& report, const std::vector<std::string>& input_names,
                      const Mistake& mistake, const std::vector<std::string>& may_be_zero) {
  const std::size_t inputs = input_names.size(), parameters = report.entries.size() - inputs;
  for (std::size_t i = 0; i < report.entries.size(); ++i) {
    const gradus::GradcheckEntry& entry = report.entries[i];
    const std::string name = i < parameters ? entry.name : input_names[i - parameters];
    if (!entry.passed()) {
      const std::string when = entry.needing.empty() ? "." : ' ' + entry.needing + '.';
      const auto [got, expected] = entry.wrong > 0 ? apart(entry.analytic, entry.numeric)
                                                   : apart(entry.first_open.analytic, entry.first_open.fine);
      Mistake known = mistake;
      // If every element is wrong, and the gradient of the worst element is 0, the tensor was probably
      // detached.
      if (known.sign.empty() && entry.wrong == entry.checked && entry.analytic == 0)
        known.sign = "No gradient reaches " + name + ".";
      throw Finding{
          .mistake = named(known, "gradient",
                           "The values are right, so the error is in the backward pass: does a value bypass "
                           "the tape, or is a gradient dropped?"),
          .says = "The gradient of " + name +
                  (entry.wrong > 0
                       ? " disagrees with finite differences" + when
                       : " could not be checked: finite differences are inaccurate at most elements."),
          .where = place("d/d " + name, entry.wrong > 0 ? entry.worst : entry.first_open.index),
          .got = got,
          .expected = expected};
    }
    if (entry.all_zero && std::find(may_be_zero.begin(), may_be_zero.end(), name) == may_be_zero.end()) {
      throw Finding{
          .mistake = named({}, "no-gradient", "Where is " + name + " lost on the way to the result?"),
          .says = "The gradient of " + name + " is 0 everywhere: the result does not depend on it.",
          .where = name + " " + entry.shape.text()};
    }
  }
}

// The names of the floating-point inputs, the only inputs that gradcheck reports.
std::vector<std::string> floating(const std::vector<Tensor>& inputs, const std::vector<std::string>& names) {
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].defined() && inputs[i].dtype() != gradus::Dtype::i64) kept.push_back(names.at(i));
  }
  return kept;
}

// Runs gradcheck. If gradcheck refuses the learner's function, converts the Error to a Finding.
template <class Check>
gradus::GradcheckReport report_of(const Check& check) {
  try {
    return check();
  } catch (const gradus::Error& error) {
    const std::string_view says = error.what();
    if (says.find("must compute the same each time") != says.npos)
      throw Finding{.mistake = {"not-the-same-twice", "A value is random, or is kept between calls.",
                                "Call your function twice with equal arguments: which variable differs?"},
                    .says = "Two calls with the same arguments gave different results.",
                    .got = error.what()};
    if (says.find("needs no gradient") != says.npos)
      throw Finding{.mistake = {"off-the-tape", "The result was detached from the tape.",
                                "detach(), NoGrad, item() and copied values have no gradient: use operations "
                                "of the library from the inputs to the result."},
                    .says = "The result needs no gradient, although the inputs do.",
                    .got = error.what()};
    throw;
  }
}

bool has_bias_too_many(const gradus::NamedTensors& there, const std::vector<Parameter>& expected) {
  return std::any_of(there.begin(), there.end(), [&](const auto& entry) {
    const std::string& name = entry.first;
    return name.ends_with(".bias") &&
           std::none_of(expected.begin(), expected.end(), [&](const Parameter& p) { return p.name == name; });
  });
}

}  // namespace

std::string text(double value, int digits) {
  if (std::isnan(value)) return "NaN";
  std::ostringstream out;
  out << std::setprecision(digits) << value;
  return out.str();
}

void expect_shape(const std::string& what, const Tensor& got, const Shape& expected, const std::string& axes,
                  const Mistake& mistake) {
  if (got.defined() && got.shape() == expected) return;
  throw Finding{.mistake = named(
                    mistake, "shape",
                    "Note the shape of each intermediate result in a comment, with the statement's letters."),
                .says = what + " does not have the shape " + axes + ".",
                .got = got.defined() ? got.shape().text() : "an undefined tensor",
                .expected = expected.text() + (axes == expected.text() ? "" : ", which is " + axes)};
}

bool has_values(const Tensor& got, const Plain& expected, double bound) {
  return got.defined() && got.shape() == expected.shape() && same(got.to_vector<double>(), expected, bound);
}

void expect_values(const std::string& what, const Tensor& got, const Plain& expected,
                   const std::vector<Suspect>& suspects, const Mistake& otherwise, double bound) {
  expect_shape(what, got, expected.shape(), expected.shape().text());
  const std::vector<double> values = got.to_vector<double>();
  std::size_t at = values.size();  // the element to show: the first wrong NaN, or else the first wrong number
  bool nan = false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (close(values[i], expected.values()[i], bound)) continue;
    if (at == values.size() || (!nan && std::isnan(values[i]))) at = i, nan = std::isnan(values[i]);
  }
  if (at == values.size()) return;
  Mistake mistake = slip(values, expected, bound);
  // A rounding error in the second call does not prove that the code remembers the first call.
  const bool rounded = otherwise.name == "remembers" && mistake.name == "inexact";
  if (!otherwise.name.empty() && !rounded) mistake = otherwise;
  if (mistake.hint.empty()) mistake.hint = "Compute this element by hand from the equation.";
  for (const Suspect& suspect : suspects) {
    if (!same(values, suspect.values, bound)) continue;
    mistake = suspect.mistake;
    break;
  }
  const auto [shown, wanted] = apart(values[at], expected.values()[at]);
  throw Finding{
      .mistake = mistake,
      .says = what + (nan ? " contains NaN: a number that is not a number." : " differs from the equation."),
      .where = place(what, expected.shape().index_of(static_cast<std::int64_t>(at))),
      .got = shown,
      .expected = wanted};
}

void expect_value(const std::string& what, double got, double expected, const Mistake& otherwise,
                  double bound) {
  expect_values(what, Plain(got).tensor(), Plain(expected), {}, otherwise, bound);
}

void expect_given(const std::function<std::string()>& given, const std::function<void()>& check) {
  try {
    check();
  } catch (Finding& finding) {
    if (finding.mistake.name == "values" && finding.given.empty()) finding.given = given();
    throw;
  }
}

std::string row_text(const Plain& x, std::int64_t row) {
  std::string out;
  for (std::int64_t i = 0; i < x.size(1); ++i) out += (i == 0 ? "" : ", ") + text(x(row, i), 4);
  return out;
}

void expect(bool holds, const Mistake& mistake, const std::string& says, const std::string& got,
            const std::string& expected) {
  if (!holds) throw Finding{.mistake = mistake, .says = says, .got = got, .expected = expected};
}

void expect_parameters(const gradus::nn::Module& module, const std::vector<Parameter>& expected) {
  const gradus::NamedTensors there = module.named_parameters();
  std::string names, wanted;
  for (const auto& [name, tensor] : there) names += (names.empty() ? "" : ", ") + name;
  for (const Parameter& parameter : expected) wanted += (wanted.empty() ? "" : ", ") + parameter.name;
  for (const Parameter& parameter : expected) {
    const auto found = std::find_if(there.begin(), there.end(),
                                    [&](const auto& entry) { return entry.first == parameter.name; });
    if (found == there.end() || there.size() != expected.size()) {
      throw Finding{
          .mistake =
              {.name = "parameters",
               .hint =
                   found != there.end() && has_bias_too_many(there, expected)
                       ? "One bias is not in the statement: nn::Linear(inputs, outputs, false) has no bias."
                       : "In the constructor, register a tensor with add_parameter(name, tensor) and a "
                         "submodule with add_module(name, module)."},
          .says = "The parameters differ from the statement's.",
          .got = names.empty() ? "none" : names,
          .expected = wanted};
    }
    if (found->second.shape() == parameter.shape) continue;
    const Shape& shape = found->second.shape();
    const bool transposed = shape.rank() == 2 && parameter.shape.rank() == 2 &&
                            shape[0] == parameter.shape[1] && shape[1] == parameter.shape[0];
    throw Finding{
        .mistake =
            {.name = "parameter-shape",
             .sign = transposed ? "It is transposed." : "",
             .hint = "A weight has the shape (outputs, inputs), as in PyTorch: W x maps inputs to outputs."},
        .says = parameter.name + " does not have the shape " + parameter.axes + ".",
        .got = shape.text(),
        .expected = parameter.shape.text() + ", which is " + parameter.axes};
  }
}

void fill(gradus::nn::Module& module, std::uint64_t seed, double deviation) {
  gradus::NamedTensors parameters = module.named_parameters();
  std::sort(parameters.begin(), parameters.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  gradus::Generator generator(seed);
  for (auto& [name, tensor] : parameters) {
    tensor.replace(gradus::normal(tensor.shape(), 0, deviation, generator, tensor.dtype()));
  }
}

Plain parameter(const gradus::nn::Module& module, const std::string& name) {
  for (const auto& [there, tensor] : module.named_parameters()) {
    if (there == name) return Plain(tensor);
  }
  throw Finding{
      .mistake = {.name = "parameters", .hint = "Use the statement's names for members and parameters."},
      .says = "The parameter " + name + " is missing."};
}

void expect_gradients(gradus::nn::Module& module, const std::function<Tensor(const std::vector<Tensor>&)>& f,
                      const std::vector<Tensor>& inputs, const std::vector<std::string>& names,
                      const Mistake& mistake, const std::vector<std::string>& may_be_zero) {
  const auto in_training = [&](const std::vector<Tensor>& x) {
    module.train();  // gradcheck has switched training mode off, and restores it afterwards
    return f(x);
  };
  expect_gradients(report_of([&] { return gradus::nn::gradcheck(module, in_training, inputs); }),
                   floating(inputs, names), mistake, may_be_zero);
}

void expect_gradients(const std::function<Tensor(const std::vector<Tensor>&)>& f,
                      const std::vector<Tensor>& inputs, const std::vector<std::string>& names,
                      const Mistake& mistake, const std::vector<std::string>& may_be_zero) {
  expect_gradients(report_of([&] { return gradus::gradcheck(f, inputs); }), floating(inputs, names), mistake,
                   may_be_zero);
}

}  // namespace exercise
