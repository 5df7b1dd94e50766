#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "answer.hpp"
#include "kit/invariants.hpp"

namespace {

using exercise::Mistake;
using exercise::Plain;
using namespace gradus;

const Mistake not_the_root{"no-root", "The result is the sum of squares, without the root.",
                           "The norm is the square root of the sum."};
const Mistake sum_of_norms{"sum-of-norms", "The norms of the parameters were added.",
                           "Add the squares of all elements of all gradients, and take one root at the end."};
const Mistake root_of_norms{
    "root-of-norms", "The root is taken of the sum of the parameters' norms, not of the sum of squares.",
    sum_of_norms.hint};
const Mistake absolute{"absolute", "The norm is the sum of absolute values.",
                       "Square every element, add up, and take the root."};
const Mistake largest{"largest", "The norm is the largest absolute value.",
                      "Square every element, add up, and take the root."};
const Mistake norm_after{"norm-after", "The result is the norm after clipping.",
                         "Return the norm before clipping."};
const Mistake one_parameter{"one-parameter", "The result is the norm of one parameter's gradient.",
                            "Compute one norm over all gradients."};
const Mistake unchanged{
    "unchanged", "The gradients did not change.",
    "g = g * … rebinds your copy of the handle; p.set_grad(…) changes the parameter's gradient."};
const Mistake each_by_itself{"each-by-itself", "Every parameter was clipped by its own norm.",
                             "Use one norm and one factor for all; otherwise the direction changes."};
const Mistake norm_so_far{"norm-so-far", "Each gradient was scaled by the norm of the gradients up to it.",
                          "Add up the squares of all gradients first, and scale in a second loop."};
const Mistake by_element{"by-element", "Every element was clamped to [−max_norm, max_norm].",
                         "Keep the direction: multiply all elements by the same number."};
const Mistake to_one{"to-one", "The gradients were scaled to norm 1 instead of max_norm.",
                     "The factor is max_norm / norm."};
const Mistake inverse{"inverse", "The factor is norm / max_norm.",
                      "The factor is max_norm / norm, less than 1."};
const Mistake scales_up{"scales-up", "Gradients with a norm below max_norm were scaled up.",
                        "Scale only if the norm exceeds max_norm."};
const Mistake parameters_changed{"parameters-changed", "The parameters were changed.",
                                 "Change only their gradients: p.set_grad(…)."};
const Mistake zero{"zero", "0 was divided by 0.", "A norm of 0 does not exceed max_norm: change nothing."};
const Mistake not_finite{"not-finite", "Gradients were changed although the norm is not finite.",
                         "Check std::isfinite(norm) before you change anything."};

const Mistake norm_not_returned{"norm-of-nan", "The returned norm is finite, although a gradient is not.",
                                "Return the norm as it is: NaN or ∞ tells the caller to skip the step."};
const Mistake by_own_norm{"by-own-norm", "A gradient whose own norm is below max_norm was not scaled.",
                          "Compare the norm over all gradients, and scale all of them."};
const Mistake zeros_end{"zeros-end", "A gradient of zeros ends the function.",
                        "The norm is over all gradients: add the others, too."};
const Mistake some_unchanged{"some-unchanged", "Only some of the gradients were scaled.",
                             "The loop that scales must reach every parameter."};
const Mistake mean_square{"mean-square", "The norm is the root of the mean square.",
                          "The squares are added, not averaged."};
const Mistake root_in_loop{"root-in-loop", "The root is taken inside the loop.",
                           "Add the squares of all gradients first, and take one root at the end."};
const Mistake added_epsilon{"epsilon", "A small number is added to the norm, or under its root.",
                            "Return the norm itself: only the divisor may have an ε."};
const Mistake of_parameters{"norm-of-parameters", "This is the norm of the parameters.",
                            "Use p.grad(), not p."};
const Mistake one_left_out{"one-left-out", "The gradient of one parameter is left out of the norm.",
                           "Parameters of every shape count, vectors and scalars too."};
const Mistake divisor_limited{"divisor-limited", "The divisor is at least 1.",
                              "The factor is max_norm / norm, also if both are below 1."};
const Mistake factor_returned{"factor-returned", "The result is the factor, not the norm.",
                              "Return the norm before clipping."};
const Mistake compares_squares{"compares-squares",
                               "Gradients were scaled although their norm is below max_norm.",
                               "Compare the norm with max_norm, not its square."};
const Mistake stops_at_missing{"stops-at-missing", "Parameters after one without a gradient do not count.",
                               "Skip that parameter, and continue with the next."};

using Gradients = std::vector<Plain>;

// Three parameters of different shapes, with gradients.
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

// A mistake: takes the root after each gradient, and adds the next squares to it.
double root_taken_in_loop(const Gradients& gradients) {
  double total = 0;
  for (const Plain& g : gradients) total = std::sqrt(total + norm_of({g}) * norm_of({g}));
  return total;
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

// A tolerance that also accepts PyTorch's factor, max_norm / (norm + 1e-6).
constexpr double bound = 1e-5;

void expect_norm(double got, const Gradients& before, double max_norm, const Gradients& parameters = {},
                 const std::vector<exercise::Suspect>& more = {}) {
  const double norm = norm_of(before);
  std::vector<exercise::Suspect> suspects = more;
  const double count = total(before, [](double) { return 1; });
  const std::vector<exercise::Suspect> usual = {{not_the_root, Plain(norm * norm)},
                                                {sum_of_norms, Plain(norms_added(before))},
                                                {root_of_norms, Plain(std::sqrt(norms_added(before)))},
                                                {root_in_loop, Plain(root_taken_in_loop(before))},
                                                {absolute, Plain(sum_of_absolutes(before))},
                                                {largest, Plain(largest_of(before))},
                                                {norm_after, Plain(max_norm)},
                                                {one_parameter, Plain(norm_of({before.front()}))},
                                                {one_parameter, Plain(norm_of({before.back()}))},
                                                {mean_square, Plain(norm / std::sqrt(count))},
                                                {of_parameters, Plain(norm_of(parameters))},
                                                {factor_returned, Plain(std::min(1.0, max_norm / norm))}};
  suspects.insert(suspects.end(), usual.begin(), usual.end());
  for (std::size_t k = 0; k < before.size() && before.size() > 2; ++k) {
    Gradients others = before;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(k));
    suspects.push_back({one_left_out, Plain(norm_of(others))});
  }
  exercise::expect_values("the returned norm", Plain(got).tensor(), Plain(norm), suspects, {});
}

// The clipped g under each known mistake. `before` holds all gradients, including g.
std::vector<exercise::Suspect> suspects(const Gradients& before, const Plain& g, double max_norm) {
  const double norm = norm_of(before);
  return {{unchanged, g},
          {each_by_itself, scaled(g, std::min(1.0, max_norm / norm_of({g})))},
          {by_element, each(g, [=](double x) { return std::clamp(x, -max_norm, max_norm); })},
          {to_one, scaled(g, 1 / norm)},
          {divisor_limited, scaled(g, max_norm / std::max(norm, 1.0))},
          {divisor_limited, scaled(g, max_norm / std::max(max_norm, 1.0))},
          {inverse, scaled(g, norm / max_norm)},
          {not_the_root, scaled(g, max_norm / (norm * norm))},
          {sum_of_norms, scaled(g, max_norm / norms_added(before))},
          {absolute, scaled(g, max_norm / sum_of_absolutes(before))},
          {largest, scaled(g, max_norm / largest_of(before))}};
}

// True if, for every k, gradient k was clipped by the norm of the gradients 0 to k, not by the norm of all.
bool is_scaled_so_far(const Gradients& after, const Gradients& before, double max_norm) {
  for (std::size_t k = 0; k < before.size(); ++k) {
    const Gradients first(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(k) + 1);
    const Plain scaled_by_it = scaled(before[k], std::min(1.0, max_norm / norm_of(first)));
    const auto is_near = [](double x, double y) { return std::abs(x - y) <= bound * std::abs(y); };
    if (!std::ranges::equal(after[k].values(), scaled_by_it.values(), is_near)) return false;
  }
  return true;
}

std::string name(std::size_t k) { return "the gradient of parameter " + std::to_string(k); }

void norm(const ClipGradients& answer) {
  const Case c = example(1);
  const Gradients before = c.gradients();
  expect_norm(answer(c.parameters, 1000), before, 1000, Gradients(c.parameters.begin(), c.parameters.end()));
  exercise::expect_value("the norm at a second call", answer(example(1).parameters, 1000), norm_of(before),
                         exercise::remembers);
}

// The parameters of example(1). The gradient of parameter `small` is multiplied by `factor`.
Case with_small(std::size_t small, double factor = 1e-3) {
  Case c = example(1);
  c.parameters[small].set_grad(factor * c.parameters[small].grad());
  return c;
}

// Checks cases where one gradient is short or 0, but the norm over all gradients exceeds max_norm.
void clipped_with_short_ones(const ClipGradients& answer) {
  for (const std::size_t k : {0, 1, 2}) {
    const Case c = with_small(k), none = with_small(k, 0);
    const Gradients before = c.gradients(), with_zeros = none.gradients();
    answer(c.parameters, 0.7);
    exercise::expect_values(name(k) + ", which is short", c.parameters[k].grad(),
                            scaled(before[k], 0.7 / norm_of(before)), {{by_own_norm, before[k]}}, {}, 1e-9);
    const double got = answer(none.parameters, 0.7), right = norm_of(with_zeros);
    exercise::expect_value("the norm, where one gradient is 0", got, right,
                           std::abs(got - right) < 1e-2 * right ? added_epsilon : zeros_end);
    const std::size_t other = (k + 1) % 3;
    exercise::expect_values(name(other) + ", next to one that is 0", none.parameters[other].grad(),
                            scaled(with_zeros[other], 0.7 / norm_of(with_zeros)), {}, zeros_end, bound);
  }
}

void clipped(const ClipGradients& answer, double size, double max_norm) {
  const Case c = example(size);
  const Gradients before = c.gradients();
  std::vector<Plain> parameters(c.parameters.begin(), c.parameters.end());
  const double got = answer(c.parameters, max_norm);
  const Gradients after = c.gradients();
  std::size_t same = 0;
  for (std::size_t k = 0; k < after.size(); ++k) same += after[k].values() == before[k].values();
  exercise::expect(same == 0 || same == after.size(), some_unchanged, "Some gradients did not change.",
                   std::to_string(same) + " of " + std::to_string(after.size()) + " unchanged",
                   "0 unchanged");
  exercise::expect(!is_scaled_so_far(after, before, max_norm), norm_so_far,
                   "The gradients were scaled by different norms.");
  for (std::size_t k = 0; k < before.size(); ++k) {
    exercise::expect_values("parameter " + std::to_string(k), c.parameters[k], parameters[k], {},
                            parameters_changed);
    exercise::expect_values(name(k), c.parameters[k].grad(), scaled(before[k], max_norm / norm_of(before)),
                            suspects(before, before[k], max_norm), {}, bound);
  }
  expect_norm(got, before, max_norm);
}

// Checks two norms below max_norm. One is far below; the square of the other exceeds max_norm.
void short_enough(const ClipGradients& answer) {
  for (const auto& [size, max_norm] : {std::pair(0.01, 0.7), std::pair(1.0, 8.0)}) {
    const Case c = example(size);
    const Gradients before = c.gradients();
    const double norm = norm_of(before);
    const double got = answer(c.parameters, max_norm);
    for (std::size_t k = 0; k < before.size(); ++k)
      exercise::expect_values(
          name(k) + ", whose norm is below max_norm", c.parameters[k].grad(), before[k],
          {{norm * norm > max_norm ? compares_squares : scales_up, scaled(before[k], max_norm / norm)}}, {},
          1e-12);
    expect_norm(got, before, max_norm);
  }
}

void no_gradient(const ClipGradients& answer) {
  for (const std::size_t missing : {1, 0, 2}) {
    Case c = example(1);
    c.parameters[missing].zero_grad();
    Gradients before, counted;  // counted: only the gradients of parameters 0 … missing − 1
    for (std::size_t k = 0; k < c.parameters.size(); ++k) {
      if (k == missing) continue;
      before.emplace_back(c.parameters[k].grad());
      if (k < missing) counted.push_back(before.back());
    }
    expect_norm(answer(c.parameters, 0.7), before, 0.7, {}, {{stops_at_missing, Plain(norm_of(counted))}});
    exercise::expect(!c.parameters[missing].grad().defined(),
                     {"no-gradient", "", "Skip undefined gradients."},
                     "A parameter without a gradient was given one.");
    for (std::size_t k = 0, at = 0; k < c.parameters.size(); ++k) {
      if (k == missing) continue;
      exercise::expect_values(name(k), c.parameters[k].grad(), scaled(before[at], 0.7 / norm_of(before)),
                              {{stops_at_missing, before[at]}}, {}, bound);
      ++at;
    }
  }
  const Case c = example(1);
  for (Tensor p : c.parameters) p.zero_grad();
  exercise::expect_value("the norm without any gradients", answer(c.parameters, 0.7), 0);
}

void zeros_stay(const ClipGradients& answer) {
  const Case c = example(0);
  const double got = answer(c.parameters, 0.7);
  exercise::expect_value("the norm of zero gradients", got, 0, zero);
  for (std::size_t k = 0; k < c.parameters.size(); ++k)
    exercise::expect_values(name(k) + ", which was 0", c.parameters[k].grad(), Plain(c.parameters[k].shape()),
                            {}, zero);
}

void left_alone_when_not_finite(const ClipGradients& answer) {
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    for (const std::size_t at : {0, 1, 2}) {
      const Case c = example(1);
      c.parameters[at].grad().mutable_values<double>()[2] = bad;
      const Gradients before = c.gradients();
      const double got = answer(c.parameters, 0.7);
      for (std::size_t k = 0; k < 3; ++k)
        if (k != at)
          exercise::expect_values(name(k) + ", next to one with an element " + exercise::text(bad),
                                  c.parameters[k].grad(), before[k], {}, not_finite);
      exercise::expect(!std::isfinite(got), norm_not_returned,
                       "The norm of a gradient with an element " + exercise::text(bad) + " is finite.",
                       exercise::text(got), exercise::text(bad));
    }
  }
}

}  // namespace

exercise::Exercise global_clipping_exercise(const ClipGradients& answer) {
  return {
      .name = "global_clipping",
      .stages = {{"the norm", [=] { norm(answer); }},
                 {"clipped gradients",
                  [=] {
                    clipped(answer, 1, 0.7);
                    clipped_with_short_ones(answer);
                    // the norm and max_norm: both below 1, both far above 1, and one on each side of 1
                    for (const auto& [size, max_norm] : {std::pair(0.05, 0.03), {100.0, 30.0}, {100.0, 0.01}})
                      clipped(answer, size, max_norm);
                  }},
                 {"short gradients", [=] { short_enough(answer); }},
                 {"parameters without a gradient", [=] { no_gradient(answer); }},
                 {"zero gradients", [=] { zeros_stay(answer); }},
                 {"infinite and NaN gradients", [=] { left_alone_when_not_finite(answer); }}}};
}
