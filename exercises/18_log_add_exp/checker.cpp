#include <gradus/autograd/memory.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/autograd/recorded.hpp>
#include <gradus/autograd/recording.hpp>
#include <gradus/error.hpp>

#include <cmath>
#include <string_view>
#include <utility>

#include "answer.hpp"
#include "kit/invariants.hpp"

namespace {

using exercise::Mistake;
using exercise::Plain;
using exercise::Suspect;
using namespace gradus;

const Mistake mean_for_sum{"mean", "The stretched axes are averaged.",
                           "An element that is used n times gets the sum of n gradients."};
const Mistake first_for_sum{"slice", "Only one of the stretched copies counts.",
                            "An element that is used n times gets the sum of n gradients."};
const Mistake one_maximum{"one-maximum-for-all", "The maximum is taken over all elements.",
                          "m = max(a, b) is the larger number of each pair: use maximum(a, b)."};
const Mistake overflowing{"overflow", "e^x is infinite for x ≥ 710. If both are below −745, both are 0.",
                          "Use y = max(a, b) + ln(1 + e^−|a − b|)."};
const Mistake one_for_maximum{"one-for-maximum", "m is one of the inputs, not the larger one.",
                              "m = maximum(a, b), element by element."};
const Mistake of_difference{"sign-of-difference",
                            "Both gradients are sigmoid(−|a − b|): the sign of a − b is lost.",
                            "∂y/∂a = e^a / (e^a + e^b) is sigmoid(a − b), without the absolute value."};
const Mistake of_maximum{"of-maximum", "The gradient is that of max(a, b): all of it goes to the larger one.",
                         "ln(1 + e^{−|a − b|}) has a gradient, too."};
const Mistake of_itself{"other-input-ignored", "The gradient is sigmoid(a) for a, and sigmoid(b) for b.",
                        "∂y/∂a is a function of a − b."};
const Mistake only_maximum{"maximum", "The result is the larger of both.", "ln(1 + e^−|a − b|) is missing."};
const Mistake no_absolute{"no-absolute", "The sign of a − b is wrong where b is the larger one.",
                          "−|a − b| is never positive."};
const Mistake not_one_node{
    "not-one-node", "The steps of the computation are on the tape.",
    "Compute y in a block with `const NoGrad off;`, and record it: record(\"log_add_exp\", y, {a, b}, …)."};
const Mistake one_input{"one-input", "An input is missing in the list of inputs.",
                        "The third argument of record() lists both: {a, b}. Otherwise one gets no gradient."};
const Mistake term_cut{"term-cut", "ln(1 + e^−|a − b|) is left out where it is small.",
                       "It is small, but not 0: softplus computes it for any difference."};
const Mistake slope_limited{"limited", "a − b was limited.",
                            "σ(−100) is 4e-44, not 0 and not 1e-13: sigmoid accepts any number."};
const Mistake not_recorded{"not-recorded", "The result is not on the tape.",
                           "Return what record(…) returns, with the inputs {a, b}."};
const Mistake records_always{"records-always", "", "record() itself decides whether a node is needed."};
const Mistake ignores_out{"ignores-out", "The incoming gradient g.out() is not used.",
                          "By the chain rule, ∂L/∂a = ∂L/∂y · ∂y/∂a."};
const Mistake swapped{"swapped", "The gradients of a and b are exchanged.",
                      "The larger input has the larger gradient: ∂y/∂a = e^a / (e^a + e^b)."};
const Mistake whole{"whole", "Both inputs get the whole gradient of y.",
                    "∂y/∂a + ∂y/∂b = 1: they share it, e^a to e^b."};
const Mistake unnormalised{"unnormalised", "The derivative of e^a is there, that of ln is not.",
                           "∂y/∂a = e^a / (e^a + e^b)."};
const Mistake derivative_of_sigmoid{"sigmoid-prime", "The gradient contains the derivative of the sigmoid.",
                                    "∂y/∂a is the sigmoid itself, at a − b."};
const Mistake no_gradient{"no-gradient", "The backward function adds nothing to an input.",
                          "Call g.add(0, …) and g.add(1, …), each if g.wants it."};
const Mistake backward_overflow{"backward-overflow", "The backward pass computes ∞/∞ or 0/0.",
                                "Use σ(a − b), or e^(a − y)."};
const Mistake never_freed{"never-freed",
                          "The result refers to its node, the node to the backward function, and this "
                          "function to the result.",
                          "Do not capture y: save it, and read g.saved(i)."};
const Mistake captured{
    "captured", "The backward function reads values that are not saved.",
    "List them in the fourth argument of record(), and read g.saved(i): then the tape notices "
    "the change."};

const std::vector<std::pair<Shape, Shape>> shapes = {{{3, 4}, {3, 4}}, {{3, 1}, {4}},       {{5}, {2, 3, 5}},
                                                     {{}, {2, 3}},     {{2, 3, 1}, {3, 4}}, {{1, 4}, {3, 1}},
                                                     {{6}, {}}};

Tensor random(const Shape& shape, std::uint64_t seed, double deviation = 1) {
  Generator generator(seed);
  return normal(shape, 0, deviation, generator, Dtype::f64);
}

// A tensor of shape `narrow` is broadcast to the shape `wide`. For each element of the result, lists the flat
// index of the element from which it was copied.
std::vector<std::size_t> copied_elements(const Shape& wide, const Shape& narrow) {
  std::vector<std::size_t> list;
  for (std::int64_t i = 0; i < wide.numel(); ++i) {
    const std::vector<std::int64_t> index = wide.index_of(i);
    std::size_t at = 0;
    for (int axis = 0; axis < narrow.rank(); ++axis) {
      const std::int64_t k = index[static_cast<std::size_t>(axis + wide.rank() - narrow.rank())];
      at =
          at * static_cast<std::size_t>(narrow[axis]) + (narrow[axis] == 1 ? 0 : static_cast<std::size_t>(k));
    }
    list.push_back(at);
  }
  return list;
}

Plain summed(const Plain& g, const Shape& shape) {
  std::vector<double> sums(static_cast<std::size_t>(shape.numel()));
  const std::vector<std::size_t> from = copied_elements(g.shape(), shape);
  for (std::size_t i = 0; i < from.size(); ++i) sums[from[i]] += g.values()[i];
  return Plain(tensor(sums, shape));
}

// A mistake: the gradient of a broadcast element is the g of only one of its copies, not the sum over all
// copies.
Plain last_copy(const Plain& g, const Shape& shape) {
  std::vector<double> values(static_cast<std::size_t>(shape.numel()));
  const std::vector<std::size_t> from = copied_elements(g.shape(), shape);
  for (std::size_t i = from.size(); i-- > 0;) values[from[i]] = g.values()[i];
  return Plain(tensor(values, shape));
}

Plain scaled(const Plain& x, double factor) {
  std::vector<double> values = x.values();
  for (double& value : values) value *= factor;
  return Plain(tensor(values, x.shape()));
}

// The mistake that explains a result of a wrong shape.
Mistake shape_mistake(const Tensor& got, const Shape& from, const Shape& to) {
  if (!got.defined() || got.shape() == to) return {};
  const Shape& shape = got.shape();
  const Mistake not_kept{"not-kept", "An axis of size 1 was removed.",
                         "sum(x, axis, true) keeps the summed axis with size 1."};
  const Mistake from_the_end{"from-the-end", "Axes were removed at the end of the shape.",
                             "Shapes are matched from the last axis: the missing axes are the first ones."};
  const Mistake left{"axis-left", "A stretched axis was not summed.",
                     "Compare every axis: sum over each one that has size 1 in shape, and not in g."};
  if (shape.rank() == to.rank()) {
    bool leading = from.rank() > to.rank();
    for (int axis = 0; axis < to.rank() && leading; ++axis) leading = shape[axis] == from[axis];
    return leading ? from_the_end : left;
  }
  const Mistake one_left{"axis-left", "An axis of size 1 is left that the shape does not have.",
                         "Reshape the sum to the shape: () has no axes."};
  if (shape.rank() > to.rank()) return shape.numel() == to.numel() ? one_left : left;
  return shape.numel() == to.numel() ? not_kept : Mistake{};
}

void summing(const LogAddExp& answer) {
  const std::vector<std::pair<Shape, Shape>> cases = {
      {{3, 4}, {4}},   {{3, 4}, {3, 1}},       {{3, 4}, {1, 4}}, {{2, 3, 4}, {3, 1}},
      {{2, 3, 4}, {}}, {{2, 3, 4}, {2, 1, 4}}, {{2, 3}, {1, 1}}, {{3, 4}, {3, 4}},
      {{5}, {1}},      {{2, 3, 3}, {1, 3}},    {{1, 4}, {1, 4}}, {{1, 4}, {4}}};
  for (const auto& [from, to] : cases) {
    const Tensor g = random(from, 3);
    const Plain before(g);
    const std::string what = "sum_to(g " + from.text() + ", " + to.text() + ')';
    const Tensor got = answer.sum_to(g, to);
    exercise::expect_values("g afterwards", g, before, {}, exercise::changes_its_input);
    exercise::expect_shape(what, got, to, to.text(), shape_mistake(got, from, to));
    const Plain right = summed(before, to);
    const double copies = static_cast<double>(from.numel()) / static_cast<double>(to.numel());
    exercise::expect_values(
        what, got, right,
        {{mean_for_sum, scaled(right, 1 / copies)}, {first_for_sum, last_copy(before, to)}});
  }
}

// f(a, b) for every element of the broadcast result.
template <class F>
Plain each(const Tensor& a, const Tensor& b, const F& f) {
  const Shape shape = (a + b).shape();
  const std::vector<std::size_t> in_a = copied_elements(shape, a.shape()),
                                 in_b = copied_elements(shape, b.shape());
  const std::vector<double> x = a.to_vector<double>(), z = b.to_vector<double>();
  std::vector<double> y;
  for (std::size_t i = 0; i < in_a.size(); ++i) y.push_back(f(x[in_a[i]], z[in_b[i]]));
  return Plain(tensor(y, shape));
}

double right_value(double a, double b) { return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b))); }
double slope(double a, double b) { return 1 / (1 + std::exp(b - a)); }  // ∂y/∂a = e^a / (e^a + e^b)

bool any_nan(const Tensor& x) {
  for (const double value : x.to_vector<double>())
    if (!std::isfinite(value)) return true;
  return false;
}

void values(const LogAddExp& answer) {
  for (const auto& [left, right] : shapes) {
    const Tensor a = random(left, 1), b = random(right, 2);
    const Plain before_a(a), before_b(b);
    const Tensor y = answer.log_add_exp(a, b);
    exercise::expect_values("a afterwards", a, before_a, {}, exercise::changes_its_input);
    exercise::expect_values("b afterwards", b, before_b, {}, exercise::changes_its_input);
    const std::string what = "y of a " + left.text() + " and b " + right.text();
    exercise::expect_values(
        what, y, each(a, b, right_value),
        {{only_maximum, each(a, b, [](double x, double z) { return std::max(x, z); })},
         {one_for_maximum,
          each(a, b, [](double x, double z) { return x + std::log1p(std::exp(-std::abs(x - z))); })},
         {one_for_maximum,
          each(a, b, [](double x, double z) { return z + std::log1p(std::exp(-std::abs(x - z))); })},
         {no_absolute,
          each(a, b, [](double x, double z) { return std::max(x, z) + std::log1p(std::exp(x - z)); })},
         {no_absolute,
          each(a, b, [](double x, double z) { return std::max(x, z) + std::log1p(std::exp(z - x)); })},
         {no_absolute,
          each(a, b,
               [](double x, double z) { return std::max(x, z) + std::log1p(std::exp(std::abs(x - z))); })}},
        {}, 1e-12);
    const Tensor in_f32 = answer.log_add_exp(a.to(Dtype::f32), b.to(Dtype::f32));
    exercise::expect(in_f32.dtype() == Dtype::f32,
                     {"dtype", "", "A constant has another dtype: use numbers, or full({}, 1, a.dtype())."},
                     "For inputs in f32 the result has another dtype.");
  }
  for (const double apart : {9.0, 12.0, 16.0}) {  // the larger input is 0, so that the small term is all of y
    const double got = answer.log_add_exp(tensor({0}, Dtype::f64), tensor({-apart}, Dtype::f64)).item(),
                 right = right_value(0, -apart);
    exercise::expect(std::abs(got / right - 1) < 1e-6, term_cut,
                     "ln(e^0 + e^−" + exercise::text(apart) + ") is wrong.", exercise::text(got),
                     exercise::text(right));
  }
  for (const double large : {1000.0, -1000.0}) {
    const Tensor a = random({3}, 4) + large, b = random({3}, 5) + large;
    const Tensor y = answer.log_add_exp(a, b);
    exercise::expect(!any_nan(y), overflowing,
                     "For inputs around " + exercise::text(large) + ", y is not finite.");
    exercise::expect_values("y of inputs around " + exercise::text(large), y, each(a, b, right_value), {},
                            overflowing);
    exercise::expect_values("y of inputs that are far apart", answer.log_add_exp(a, -b),
                            each(a, -b, right_value), {}, overflowing);
  }
  const Tensor a = tensor(std::vector<double>{1000, -1000, 3}),
               b = tensor(std::vector<double>{999, -1001, 2});
  exercise::expect_values("y of elements that are far apart", answer.log_add_exp(a, b),
                          each(a, b, right_value), {}, one_maximum);
  const double tail = answer.log_add_exp(full({1}, 0, Dtype::f64), full({1}, -25, Dtype::f64)).item();
  exercise::expect(tail > 0.99 * std::exp(-25) && tail < 1.01 * std::exp(-25), term_cut,
                   "For a = 0 and b = −25, y is wrong.", exercise::text(tail), exercise::text(std::exp(-25)));
}

struct Inputs {
  Tensor a, b;
};

Inputs leaves(const Shape& left, const Shape& right, double shift = 0) {
  Inputs in{random(left, 1) + shift, random(right, 2) - shift};
  in.a.set_requires_grad();
  in.b.set_requires_grad();
  return in;
}

void freed(const LogAddExp& answer) {
  const std::int64_t before = memory_stats().live_nodes;
  for (int n = 0; n < 3; ++n) {
    const auto [a, b] = leaves({3, 1}, {4});
    answer.log_add_exp(a, b);
  }
  exercise::expect(memory_stats().live_nodes == before, never_freed,
                   "When nobody uses the result any more, its node is still in memory.");
}

// The answer's result. If record() refuses y, because y is on the tape already, reports this mistake.
Tensor recorded_once(const LogAddExp& answer, const Tensor& a, const Tensor& b) {
  try {
    return answer.log_add_exp(a, b);
  } catch (const Error& error) {
    if (std::string_view(error.what()).find("already recorded") == std::string_view::npos) throw;
    throw exercise::Finding{
        .mistake = not_one_node, .says = "y is on the tape before record() gets it.", .got = error.what()};
  }
}

void one_node(const LogAddExp& answer) {
  const auto [a, b] = leaves({3, 1}, {4});
  const Tensor y = recorded_once(answer, a, b);
  exercise::expect(y.requires_grad(), not_recorded, "The result needs no gradient, although both inputs do.");
  const std::vector<Recorded> nodes = recorded("log_add_exp", y);
  std::string names;
  std::size_t operations = 0;
  for (const Recorded& node : nodes)
    if (!node.is_leaf) names += (operations++ == 0 ? "" : ", ") + std::string(node.operation);
  exercise::expect(operations == 1, not_one_node, "The tape has more than one operation.", names, "one");
  exercise::expect(nodes.back().inputs.size() == 2, one_input, "The operation does not have two inputs.",
                   std::to_string(nodes.back().inputs.size()), "2");
  exercise::expect(!answer.log_add_exp(a.detach(), b.detach()).requires_grad(), records_always,
                   "The result needs a gradient, although no input does.");
  freed(answer);
  const NoGrad off;
  exercise::expect(!answer.log_add_exp(a, b).requires_grad(), records_always,
                   "The result is recorded inside a NoGrad.");
  exercise::expect(!is_recording(), records_always, "Recording is turned on by your function, and stays on.");
}

// The gradient of a (if `first`) or of b: slope · g, summed over the broadcast axes.
template <class F>
Plain gradient(const Inputs& in, const Plain& g, bool first, const F& slope) {
  Plain all = first ? each(in.a, in.b, slope) : each(in.b, in.a, slope);
  std::vector<double> values = all.values();
  for (std::size_t i = 0; i < values.size(); ++i) values[i] *= g.values()[i];
  return summed(Plain(tensor(values, all.shape())), first ? in.a.shape() : in.b.shape());
}

const Mistake summed_apart{"summed-apart", "g and the slope are summed before they are multiplied.",
                           "Multiply first, element by element: sum_to(g · slope, shape)."};

Plain summed_apart_of(const Inputs& in, const Plain& g, bool first) {
  const Shape shape = first ? in.a.shape() : in.b.shape();
  const std::vector<double> slopes =
      summed(first ? each(in.a, in.b, slope) : each(in.b, in.a, slope), shape).values();
  std::vector<double> values = summed(g, shape).values();
  for (std::size_t i = 0; i < values.size(); ++i) values[i] *= slopes[i];
  return Plain(tensor(values, shape));
}

std::vector<Suspect> suspects(const Inputs& in, const Plain& g, bool first) {
  const auto of = [&](const Plain& incoming, const auto& slope) {
    return gradient(in, incoming, first, slope);
  };
  const Plain ones(gradus::ones(g.shape(), Dtype::f64));
  return {{ignores_out, of(ones, slope)},
          {no_gradient, of(g, [](double, double) { return 0; })},
          {swapped, of(g, [](double x, double z) { return slope(z, x); })},
          {whole, of(g, [](double, double) { return 1; })},
          {{"inverted", "The gradient is e^(b − a) for a, and e^(a − b) for b.",
            "∂y/∂a = e^a / (e^a + e^b): divide numerator and denominator by e^a."},
           of(g, [](double x, double z) { return std::exp(z - x); })},
          {unnormalised, of(g, [](double x, double) { return std::exp(x); })},
          {of_difference, of(g, [](double x, double z) { return slope(-std::abs(x - z), 0); })},
          {of_maximum, of(g, [](double x, double z) { return x >= z ? 1 : 0; })},
          {of_itself, of(g, [](double x, double) { return slope(x, 0); })},
          {summed_apart, summed_apart_of(in, g, first)},
          {derivative_of_sigmoid, of(g, [](double x, double z) { return slope(x, z) * slope(z, x); })}};
}

// Where a equals b, each slope is ½.
void expect_halves(const LogAddExp& answer) {
  Inputs in{random({3}, 1), random({3}, 1)};
  in.a.set_requires_grad();
  in.b.set_requires_grad();
  const Tensor y = answer.log_add_exp(in.a, in.b), g = random(y.shape(), 6);
  y.backward(g);
  const Mistake equal_inputs{
      "equal-inputs", "Where a equals b, the gradient is not half of g for each.",
      "∂y/∂a = e^a / (e^a + e^b), which is ½. |a − b| and max(a, b) have a kink there."};
  for (const auto& [what, got] : {std::pair("∂L/∂a", in.a.grad()), {"∂L/∂b", in.b.grad()}})
    exercise::expect_values(std::string(what) + ", where a equals b", got, scaled(Plain(g), 0.5), {},
                            equal_inputs);
}

void by_formula(const LogAddExp& answer) {
  for (const auto& [left, right] : shapes) {
    const Inputs in = leaves(left, right);
    const Tensor y = answer.log_add_exp(in.a, in.b), g = random(y.shape(), 6);
    const Plain incoming(g), before_a(in.a), before_b(in.b);
    y.backward(g, true);
    exercise::expect_values("a after backward()", in.a, before_a, {}, exercise::changes_its_input);
    exercise::expect_values("b after backward()", in.b, before_b, {}, exercise::changes_its_input);
    const std::string of = ", for a " + left.text() + " and b " + right.text();
    exercise::expect(in.a.grad().defined() && in.b.grad().defined(), no_gradient,
                     "An input got no gradient" + of + '.');
    const Plain for_a = gradient(in, incoming, true, slope), for_b = gradient(in, incoming, false, slope);
    exercise::expect_values("∂L/∂a" + of, in.a.grad(), for_a, suspects(in, incoming, true));
    exercise::expect_values("∂L/∂b" + of, in.b.grad(), for_b, suspects(in, incoming, false));
    y.backward(g);
    exercise::expect_values("∂L/∂a after a second backward()" + of, in.a.grad(), scaled(for_a, 2), {},
                            {"second-backward", "The first backward() changed what the second one reads.",
                             "Change neither g.out() nor g.saved(i) in place."});
  }
  expect_halves(answer);
}

void by_differences(const LogAddExp& answer) {
  for (const auto& [left, right] : shapes) {
    const Tensor a = random(left, 1), b = random(right, 2);
    const auto f = [&](const std::vector<Tensor>& x) { return answer.log_add_exp(x[0], x[1]); };
    exercise::expect_gradients(f, {a, b}, {"a", "b"});  // checks both gradients together, then one at a time
    exercise::expect_gradients(
        [&](const std::vector<Tensor>& x) { return answer.log_add_exp(x[0] * 2.0, tanh(x[1])); }, {a, b},
        {"a", "b"});
  }
  exercise::expect_gradients([&](const std::vector<Tensor>& x) { return answer.log_add_exp(x[0], x[0]); },
                             {random({3, 2}, 8)}, {"x"});
}

// If a is much smaller than b, the gradient of a is tiny. Its relative error must be small, too.
void tiny(const LogAddExp& answer) {
  for (const double apart : {20.0, 60.0, 200.0}) {
    Inputs in{random({3}, 1) - apart, random({3}, 2)};
    in.a.set_requires_grad();
    in.b.set_requires_grad();
    sum(answer.log_add_exp(in.a, in.b)).backward();
    const Plain got(in.a.grad()), right = gradient(in, Plain(gradus::ones({3}, Dtype::f64)), true, slope);
    for (std::int64_t i = 0; i < 3; ++i)
      exercise::expect(std::abs(got(i) / right(i) - 1) < 1e-6, slope_limited,
                       "∂L/∂a is wrong where a is " + exercise::text(apart) + " below b.",
                       exercise::text(got(i)), exercise::text(right(i)));
  }
}

void large(const LogAddExp& answer) {
  for (const double shift : {0.0, 500.0, -500.0}) {
    for (const double offset : {0.0, 1000.0, -1000.0}) {
      Inputs in{random({3}, 1) + (shift + offset), random({3}, 2) + (offset - shift)};
      in.a.set_requires_grad();
      in.b.set_requires_grad();
      sum(answer.log_add_exp(in.a, in.b)).backward();
      exercise::expect(!any_nan(in.a.grad()) && !any_nan(in.b.grad()), backward_overflow,
                       "For large inputs, a gradient is not finite.");
      const Plain ones(gradus::ones({3}, Dtype::f64));
      exercise::expect_values("∂L/∂a of large inputs", in.a.grad(), gradient(in, ones, true, slope), {},
                              backward_overflow);
      exercise::expect_values("∂L/∂b of large inputs", in.b.grad(), gradient(in, ones, false, slope), {},
                              backward_overflow);
    }
  }
}

// Changes a tensor in place between the operation and backward(). Expects an error, or the gradient for the
// old values.
void changed_in_place(const LogAddExp& answer) {
  for (const bool of_a : {true, false}) {
    const Inputs in = leaves({3}, {3});
    const Inputs before{in.a.detach().clone(), in.b.detach().clone()};
    const Tensor y = answer.log_add_exp(in.a, in.b);
    Tensor changed = of_a ? in.a : in.b;
    for (double& value : changed.mutable_values<double>()) value = 5;
    try {
      sum(y).backward();
    } catch (const Error&) {
      continue;  // the tape detected the change
    }
    const Plain ones(gradus::ones({3}, Dtype::f64));
    const std::string what = std::string(of_a ? "a" : "b") + " changes between log_add_exp and backward()";
    exercise::expect_values("∂L/∂a, if " + what, in.a.grad(), gradient(before, ones, true, slope), {},
                            captured);
    exercise::expect_values("∂L/∂b, if " + what, in.b.grad(), gradient(before, ones, false, slope), {},
                            captured);
  }
}

}  // namespace

exercise::Exercise log_add_exp_exercise(const LogAddExp& answer) {
  return {.name = "log_add_exp",
          .stages = {{"sum_to", [=] { summing(answer); }},
                     {"values", [=] { values(answer); }},
                     {"one node", [=] { one_node(answer); }},
                     {"gradient by the formula", [=] { by_formula(answer); }},
                     {"gradient by differences", [=] { by_differences(answer); }},
                     {"large inputs",
                      [=] {
                        large(answer);
                        tiny(answer);
                      }},
                     {"changes in place", [=] { changed_in_place(answer); }}}};
}
