#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include "answer.hpp"
#include "kit/expect.hpp"

namespace {

using exercise::Mistake;
using exercise::Plain;
using namespace gradus;

const Mistake not_the_root{"no-root", "It is the sum of the squares, without the root.",
                           "The norm is the root of the sum."};
const Mistake sum_of_norms{
    "sum-of-norms", "The norms of the parameters were added.",
    "Add the squares of all elements of all parameters, and take one root at the end."};
const Mistake absolute{"absolute", "It is the sum of absolute values.",
                       "Square every element, add, take the root."};
const Mistake largest{"largest", "It is the largest element.", "Square every element, add, take the root."};
const Mistake norm_after{"norm-after", "It is the norm after clipping.",
                         "Return the norm that the gradients had before."};
const Mistake one_parameter{"one-parameter", "It is the norm of one parameter's gradient.",
                            "One norm over all of them."};
const Mistake unchanged{
    "unchanged", "The gradients are what they were.",
    "g = g * … gives your own handle another tensor; p.set_grad(…) changes the parameter's gradient."};
const Mistake each_by_itself{"each-by-itself", "Every parameter was clipped by its own norm.",
                             "One norm over all of them, and one factor: else the direction changes."};
const Mistake by_element{"by-element", "Every element was brought between −max_norm and max_norm.",
                         "The direction is to be kept: multiply all elements by the same number."};
const Mistake to_one{"to-one", "The gradients have the norm 1 now, whatever max_norm is.",
                     "The factor is max_norm / norm."};
const Mistake inverse{"inverse", "The factor is upside down.",
                      "The factor is max_norm / norm, which is below 1."};
const Mistake scales_up{"scales-up", "Short gradients were made as long as max_norm.",
                        "Nothing is to be done unless the norm is above max_norm."};
const Mistake parameters_changed{"parameters-changed", "The parameters themselves were changed.",
                                 "Only their gradients are to be: p.set_grad(…)."};
const Mistake zero{"zero", "0 was divided by 0.",
                   "A norm of 0 is not above max_norm: nothing is to be done."};
const Mistake not_finite{"not-finite", "A norm that is not finite went into the gradients.",
                         "Ask std::isfinite(norm) before anything is changed."};

using Gradients = std::vector<Plain>;

// Three parameters, all of other sizes, with gradients of some size.
struct Case {
  std::vector<Tensor> parameters;

  Gradients gradients() const {
    Gradients all;
    for (const Tensor& p : parameters) all.emplace_back(p.grad());
    return all;
  }
};

Case example(double size) {
  Generator generator(11);
  Case c;
  for (const Shape& shape : {Shape{3, 4}, Shape{5}, Shape{2, 1, 3}}) {
    c.parameters.push_back(normal(shape, 0, 1, generator, Dtype::f64).set_requires_grad());
    c.parameters.back().set_grad(normal(shape, 0, size, generator, Dtype::f64));
  }
  return c;
}

// Σ f(g) over all elements.
template <class F>
double total(const Gradients& gradients, const F& f) {
  double sum = 0;
  for (const Plain& g : gradients)
    for (const double x : g.values()) sum += f(x);
  return sum;
}

double norm_of(const Gradients& gradients) {
  return std::sqrt(total(gradients, [](double x) { return x * x; }));
}

double norms_added(const Gradients& gradients) {
  double sum = 0;
  for (const Plain& g : gradients) sum += norm_of({g});
  return sum;
}

double sum_of_absolutes(const Gradients& gradients) {
  return total(gradients, [](double x) { return std::abs(x); });
}

double largest_of(const Gradients& gradients) {
  double most = 0;
  for (const Plain& g : gradients)
    for (const double x : g.values()) most = std::max(most, std::abs(x));
  return most;
}

template <class F>
Plain each(const Plain& g, const F& f) {
  std::vector<double> values = g.values();
  std::transform(values.begin(), values.end(), values.begin(), f);
  return Plain(tensor(values, g.shape()));
}

Plain scaled(const Plain& g, double factor) {
  return each(g, [=](double x) { return factor * x; });
}

// PyTorch divides by the norm + 1e-6; that is right here, too.
constexpr double bound = 1e-5;

void expect_norm(double got, const Gradients& before, double max_norm) {
  const double norm = norm_of(before);
  exercise::expect_values("the norm that comes back", Plain(got).tensor(), Plain(norm),
                          {{not_the_root, Plain(norm * norm)},
                           {sum_of_norms, Plain(norms_added(before))},
                           {absolute, Plain(sum_of_absolutes(before))},
                           {largest, Plain(largest_of(before))},
                           {norm_after, Plain(max_norm)},
                           {one_parameter, Plain(norm_of({before.front()}))},
                           {one_parameter, Plain(norm_of({before.back()}))}},
                          {}, bound);
}

// What known mistakes would have made of the gradient g, one of those `before`.
std::vector<exercise::Suspect> suspects(const Gradients& before, const Plain& g, double max_norm) {
  const double norm = norm_of(before);
  return {{unchanged, g},
          {each_by_itself, scaled(g, std::min(1.0, max_norm / norm_of({g})))},
          {by_element, each(g, [=](double x) { return std::clamp(x, -max_norm, max_norm); })},
          {to_one, scaled(g, 1 / norm)},
          {inverse, scaled(g, norm / max_norm)},
          {not_the_root, scaled(g, max_norm / (norm * norm))},
          {sum_of_norms, scaled(g, max_norm / norms_added(before))},
          {absolute, scaled(g, max_norm / sum_of_absolutes(before))},
          {largest, scaled(g, max_norm / largest_of(before))}};
}

std::string name(std::size_t k) { return "the gradient of parameter " + std::to_string(k); }

void norm(const ClipGradients& answer) {
  const Case c = example(1);
  const Gradients before = c.gradients();
  expect_norm(answer(c.parameters, 1000), before, 1000);
}

void clipped(const ClipGradients& answer) {
  constexpr double max_norm = 0.7;
  const Case c = example(1);
  const Gradients before = c.gradients();
  std::vector<Plain> parameters(c.parameters.begin(), c.parameters.end());
  const double got = answer(c.parameters, max_norm);
  for (std::size_t k = 0; k < before.size(); ++k) {
    exercise::expect_values("parameter " + std::to_string(k), c.parameters[k], parameters[k], {},
                            parameters_changed);
    exercise::expect_values(name(k), c.parameters[k].grad(), scaled(before[k], max_norm / norm_of(before)),
                            suspects(before, before[k], max_norm), {}, bound);
  }
  expect_norm(got, before, max_norm);
}

void short_enough(const ClipGradients& answer) {
  const Case c = example(0.01);
  const Gradients before = c.gradients();
  answer(c.parameters, 0.7);
  for (std::size_t k = 0; k < before.size(); ++k)
    exercise::expect_values(name(k) + ", which was short enough", c.parameters[k].grad(), before[k],
                            {{scales_up, scaled(before[k], 0.7 / norm_of(before))}}, {}, 1e-12);
}

void no_gradient(const ClipGradients& answer) {
  Case c = example(1);
  const Gradients before = {Plain(c.parameters[0].grad()), Plain(c.parameters[2].grad())};
  c.parameters[1].zero_grad();
  expect_norm(answer(c.parameters, 0.7), before, 0.7);
  exercise::expect(!c.parameters[1].grad().defined(), {"no-gradient", "", "Skip what is not defined."},
                   "A parameter that had no gradient has one now.");
  exercise::expect_values(name(2), c.parameters[2].grad(), scaled(before[1], 0.7 / norm_of(before)), {}, {},
                          bound);
  for (Tensor p : c.parameters) p.zero_grad();
  exercise::expect_value("the norm of no gradients at all", answer(c.parameters, 0.7), 0);
}

void zeros_stay(const ClipGradients& answer) {
  const Case c = example(0);
  const double got = answer(c.parameters, 0.7);
  exercise::expect_value("the norm of gradients that are 0", got, 0, zero);
  for (std::size_t k = 0; k < c.parameters.size(); ++k)
    exercise::expect_values(name(k) + ", which was 0", c.parameters[k].grad(), Plain(c.parameters[k].shape()),
                            {}, zero);
}

void left_alone_when_not_finite(const ClipGradients& answer) {
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    const Case c = example(1);
    c.parameters[0].grad().mutable_values<double>()[2] = bad;
    const Gradients before = c.gradients();
    const double got = answer(c.parameters, 0.7);
    exercise::expect(!std::isfinite(got), not_finite,
                     "The norm of a gradient with an element " + exercise::text(bad) + " is finite.",
                     exercise::text(got), exercise::text(bad));
    for (const std::size_t k : {1, 2})
      exercise::expect_values(name(k) + ", beside one with an element " + exercise::text(bad),
                              c.parameters[k].grad(), before[k], {}, not_finite);
  }
}

}  // namespace

exercise::Exercise global_clipping_exercise(const ClipGradients& answer) {
  return {.name = "global_clipping",
          .stages = {{"the norm", [=] { norm(answer); }},
                     {"clipped gradients", [=] { clipped(answer); }},
                     {"short gradients", [=] { short_enough(answer); }},
                     {"parameters without gradient", [=] { no_gradient(answer); }},
                     {"gradients that are 0", [=] { zeros_stay(answer); }},
                     {"gradients that are not finite", [=] { left_alone_when_not_finite(answer); }}}};
}
