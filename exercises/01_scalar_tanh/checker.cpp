#include <gradus/autograd/random.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>

#include "answer.hpp"
#include "kit/invariants.hpp"

namespace {

using exercise::Finding;
using exercise::Mistake;
using exercise::text;
using namespace scalar;

const Mistake sigmoid{"sigmoid", "The function is the logistic one, with values between 0 and 1.",
                      "tanh has values between −1 and 1; std::tanh computes it."};
const Mistake wrong_sign{"wrong-sign", "The value has the wrong sign.", "tanh(−x) = −tanh x."};
const Mistake overflow{"overflow",
                       "e^x overflows to infinity for large x, and infinity divided by infinity is NaN.",
                       "std::tanh does not overflow."};
const Mistake in_place{"in-place", "The node of x was changed.",
                       "Return a new node, from record(); other operations may still need x."};
const Mistake not_on_tape{"not-on-tape", "", "Return the Value that record(*x.tape, y, …) gives."};
const Mistake no_way_back{
    "no-way-back", "The gradient stops at y and does not reach x.",
    "The third argument of record() is the function that receives the gradient of y. It must keep x itself, "
    "by value: a reference to a node is invalid once the tape grows."};
const Mistake at_x{"slope-at-x", "The slope is 1 − x², with x in place of y.",
                   "The slope is 1 − tanh² x, and tanh x is the value y that you have already."};
const Mistake no_square{"no-square", "The slope is 1 − y, without the square.",
                        "Differentiate the quotient again."};
const Mistake slope_of_sigmoid{"slope-of-sigmoid", "The slope is y (1 − y), that of the logistic function.",
                               "Differentiate (e^x − e^−x) / (e^x + e^−x)."};
const Mistake sign{"sign", "The sign is wrong.", "tanh increases everywhere: its slope is positive."};
const Mistake doubled{"factor", "The slope is twice the right one.", "At 0, tanh x has the slope 1."};
const Mistake halved{"halved", "The slope is half of the right one.", "At 0, tanh x has the slope 1."};
const Mistake root{"no-square", "The slope is 1 / cosh x, without the square.", "The slope is 1 / cosh² x."};
const Mistake sign_of_x{"sign-of-x", "The slope has the sign of x.",
                        "tanh increases everywhere: its slope is positive, also for x < 0."};
const Mistake squared{"squared", "The slope is squared.", "1 − y², not its square."};
const Mistake square_of_difference{"square-of-difference", "The slope is (1 − y)², not 1 − y².",
                                   "(1 − y)² is 1 − 2y + y²: differentiate the quotient again."};
const Mistake times_y{"times-y", "The slope is multiplied by y.", "The gradient is g (1 − y²)."};
const Mistake no_chain{"no-chain", "The gradient is ∂y/∂x without the factor g.",
                       "The chain rule: ∂L/∂x = ∂L/∂y · ∂y/∂x, and g is ∂L/∂y."};
const Mistake no_brackets{"no-brackets", "The gradient is g − y², without brackets.",
                          "g (1 − y²): the product comes before the difference."};
const Mistake cut_off{"cut-off", "The slope is 0 for large |x|.",
                      "There it is small, but not 0: 1 − y² is right everywhere."};
const Mistake tanh_twice{"tanh-twice", "The slope is 1 − tanh² y: the tanh is taken of y again.",
                         "y is already tanh x: the slope is 1 − y²."};
const Mistake other_node{"other-node", "The gradient goes to a node that is not x.",
                         "Keep x in the closure and add to x.gradient(): the node before y need not be x."};
const Mistake inexact{"inexact", "The values agree to about four digits.",
                      "Use double, not float, the function std::tanh itself, and the slope's formula."};
const Mistake assigned{"assigned", "The last use of x overwrites the gradients from the others.",
                       "Each use of x adds a term to its gradient."};
const Mistake only_first{"only-first", "Only the first gradient that reaches x is kept.",
                         "Each use of x adds a term to its gradient, whatever the gradient is already."};
const Mistake is_x{"returns-x", "The result is x itself.",
                   "Even if tanh x ≈ x, the result is a new node, with a backward function."};

using Function = std::function<double(double)>;

struct Suspect {
  Mistake mistake;
  Function function;
};

bool close(double a, double b) { return std::abs(a - b) <= 1e-9 * (1e-3 + std::abs(b)); }  // false for NaN

// Compares `got` with `expected` at a few numbers. If `got` equals a suspect instead, reports that mistake.
void expect_function(const std::string& what, const Function& got, const Function& expected,
                     const std::vector<Suspect>& suspects, const Mistake& otherwise) {
  constexpr std::array<double, 9> xs = {-2, -0.5, 0, 0.25, 1, 3, 6, -9, 5e-4};
  const auto same = [&](const Function& f) {
    return std::all_of(xs.begin(), xs.end(), [&](double x) { return close(got(x), f(x)); });
  };
  if (same(expected)) return;
  const auto wrong =
      *std::find_if(xs.begin(), xs.end(), [&](double x) { return !close(got(x), expected(x)); });
  const auto found = std::find_if(suspects.begin(), suspects.end(),
                                  [&](const Suspect& suspect) { return same(suspect.function); });
  const bool nearly =
      std::all_of(xs.begin(), xs.end(), [&](double x) { return std::abs(got(x) - expected(x)) < 1e-4; });
  const int digits = nearly ? 12 : 7;
  throw Finding{.mistake = found != suspects.end() ? found->mistake
                           : nearly                ? inexact
                                                   : otherwise,
                .says = what + " differs from the equation.",
                .where = "x = " + text(wrong),
                .got = text(got(wrong), digits),
                .expected = text(expected(wrong), digits)};
}

double slope(double x) { return 1 / (std::cosh(x) * std::cosh(x)); }

// Evaluates tanh x. Checks that the result is a new node on x's tape.
double value_of(const ScalarTanh& answer, double x) {
  Tape tape;
  const Value input = record(tape, x), y = answer(input);
  exercise::expect(y.tape == &tape && y.at < tape.size(), not_on_tape, "The result is not on the tape of x.");
  exercise::expect(input.data() == x, in_place, "x was changed.", text(input.data()), text(x));
  exercise::expect(y.at != input.at, is_x, "tanh " + text(x) + " is not a new node.");
  return y.data();
}

// dL/dx, on a new tape.
double gradient_of(const std::function<Value(Value)>& L, double x) {
  Tape tape;
  const Value input = record(tape, x);
  backward(L(input));
  exercise::expect(input.data() == x, in_place, "The backward pass changed x.", text(input.data()), text(x));
  return input.gradient();
}

// Records another number after x and before y. The gradient of this number must stay 0.
void expect_only_x(const ScalarTanh& answer) {
  Tape tape;
  const Value input = record(tape, 0.5), other = record(tape, 2);
  backward(answer(input));
  exercise::expect(other.gradient() == 0, other_node, "A number that y does not depend on got a gradient.",
                   text(other.gradient()), "0");
}

void value(const ScalarTanh& answer) {
  expect_function(
      "tanh x", [&](double x) { return value_of(answer, x); }, [](double x) { return std::tanh(x); },
      {{sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }}},
      {"values", "", "std::tanh(x.data()) is the value."});
  for (const double x : {-1000.0, 1000.0}) {
    const double y = value_of(answer, x);
    exercise::expect(!close(y, -std::tanh(x)), wrong_sign, "tanh " + text(x) + " is wrong.", text(y),
                     text(std::tanh(x)));
    exercise::expect(close(y, std::tanh(x)), overflow, "tanh " + text(x) + " is wrong.", text(y),
                     text(std::tanh(x)));
  }
  for (const double x : {1e-5, -1e-9}) value_of(answer, x);
}

// Computes the tanh of two numbers on one tape. Each backward function must use its own y.
void expect_own_value(const ScalarTanh& answer) {
  Tape tape;
  const Value a = record(tape, 0.5), b = record(tape, 2);
  const Value of_a = answer(a), of_b = answer(b);
  backward(of_a + of_b);
  exercise::expect(!close(a.gradient(), slope(2)), exercise::remembers,
                   "The gradient of tanh a uses the value of a later call, tanh b.", text(a.gradient()),
                   text(slope(0.5)));
}

void gradient(const ScalarTanh& answer) {
  expect_function("∂L/∂x of L = tanh x", [&](double x) { return gradient_of(answer, x); }, slope,
                  {{no_way_back, [](double) { return 0; }},
                   {at_x, [](double x) { return 1 - x * x; }},
                   {no_square, [](double x) { return 1 - std::tanh(x); }},
                   {slope_of_sigmoid, [](double x) { return std::tanh(x) * (1 - std::tanh(x)); }},
                   {square_of_difference, [](double x) { return std::pow(1 - std::tanh(x), 2); }},
                   {times_y, [](double x) { return std::tanh(x) * slope(x); }},
                   {doubled, [](double x) { return 2 * slope(x); }},
                   {squared, [](double x) { return slope(x) * slope(x); }},
                   {tanh_twice, [](double x) { return slope(std::tanh(x)); }},
                   {sign, [](double x) { return -slope(x); }},
                   {halved, [](double x) { return slope(x) / 2; }},
                   {cut_off, [](double x) { return std::abs(x) > 5 ? 0 : slope(x); }},
                   {cut_off, [](double x) { return std::abs(x) > 2.5 ? 0 : slope(x); }},
                   {root, [](double x) { return 1 / std::cosh(x); }},
                   {sign_of_x, [](double x) { return x < 0 ? -slope(x) : slope(x); }},
                   {exercise::remembers, [](double) { return slope(-2); }}},  // −2 is the first x of the test
                  {"gradient", "",
                   "What is the slope of tanh at 0? And far away from 0? If the formula is right: does the "
                   "closure capture by value, with [=]?"});
  const double far = gradient_of(answer, 1000);
  exercise::expect(close(far, 0), overflow, "The gradient at x = 1000 is not 0.", text(far), "0");
  expect_only_x(answer);
  expect_own_value(answer);
}

void chain(const ScalarTanh& answer) {
  expect_function(
      "∂L/∂x of L = −3 tanh x",
      [&](double x) {
        return gradient_of([&](Value input) { return record(*input.tape, -3) * answer(input); }, x);
      },
      [](double x) { return -3 * slope(x); },
      {{no_chain, slope}, {no_brackets, [](double x) { return -3 - std::tanh(x) * std::tanh(x); }}},
      {"gradient", "", "Here g is −3, and ∂L/∂x is −3 ∂y/∂x."});
}

void used_twice(const ScalarTanh& answer) {
  expect_function(
      "∂L/∂x of L = tanh x + 3 tanh x",
      [&](double x) {
        return gradient_of(
            [&](Value in) {  // the second tanh is the first to pass its gradient back
              const Value y = answer(in), z = record(*in.tape, 3) * answer(in);
              return y + z;
            },
            x);
      },
      [](double x) { return 4 * slope(x); },
      {{assigned, slope}, {only_first, [](double x) { return 3 * slope(x); }}},
      {"gradient", "", "Two paths lead from x to L: their gradients add up."});
  expect_function(
      "∂L/∂x of L = x + tanh x",
      [&](double x) {  // on this tape, the tanh adds to the gradient of x after the sum does
        return gradient_of(
            [&](Value in) {
              const Value y = answer(in);
              return in + y;
            },
            x);
      },
      [](double x) { return 1 + slope(x); }, {{assigned, slope}, {only_first, [](double) { return 1; }}},
      {"gradient", "", "Two paths lead from x to L: their gradients add up."});
}

// L = y p₀ + y² with the neuron y = tanh(p₀ p₁ + p₂ tanh(p₃) + p₄). Number: double or a value on a tape.
template <class Number, class Tanh>
Number neuron(const std::vector<Number>& p, const Tanh& tanh) {
  const Number y = tanh(p[0] * p[1] + p[2] * tanh(p[3]) + p[4]);
  return y * p[0] + y * y;
}

void as_differences_say(const ScalarTanh& answer) {
  const std::vector<double> at = {-0.5, 2, 0.75, 1, 0.5};
  Tape tape;
  std::vector<Value> leaves;
  for (const double x : at) leaves.push_back(record(tape, x));
  backward(neuron(leaves, answer));
  for (std::size_t i = 0; i < at.size(); ++i) {
    constexpr double h = 1e-5;
    const auto L = [&](double moved) {
      std::vector<double> p = at;
      p[i] += moved;
      return neuron(p, [](double x) { return std::tanh(x); });
    };
    const double numeric = (L(h) - L(-h)) / (2 * h), got = leaves[i].gradient();
    if (std::abs(got - numeric) <= 1e-7) continue;
    throw Finding{.mistake = {"gradient", "", "Follow the gradient by hand, from y to that leaf."},
                  .says =
                      "A gradient of the neuron y = tanh(p₀ p₁ + p₂ tanh(p₃) + p₄), L = y p₀ + y², disagrees "
                      "with finite differences.",
                  .where = "∂L/∂p_" + std::to_string(i),
                  .got = text(got),
                  .expected = text(numeric)};
  }
}

// L = Σ (y − t)² over the table of XOR, with y = tanh(Σ_i v_i tanh(w_i1 x₁ + w_i2 x₂ + b_i) + c). The
// parameters are (w_11, w_12, b_1, v_1, w_21, …, c).
Value xor_loss(const std::vector<Value>& theta, const ScalarTanh& tanh) {
  Tape& tape = *theta[0].tape;
  Value L = record(tape, 0);
  for (const auto& [x_1, x_2, t] : {std::array{-1, -1, -1}, {-1, 1, 1}, {1, -1, 1}, {1, 1, -1}}) {
    const Value first = record(tape, x_1), second = record(tape, x_2);
    Value y = theta.back();
    for (std::size_t i = 0; i + 4 < theta.size(); i += 4)
      y = y + theta[i + 3] * tanh(theta[i] * first + theta[i + 1] * second + theta[i + 2]);
    const Value d = tanh(y) + record(tape, -t);
    L = L + d * d;
  }
  return L;
}

void learns_xor(const ScalarTanh& answer) {
  Tape tape;
  std::vector<Value> theta;
  gradus::Generator generator(1);
  for (int i = 0; i < 17; ++i) theta.push_back(record(tape, 2 * generator.uniform() - 1));
  double first = 0, last = 0;
  for (int step = 0; step < 500; ++step) {
    tape.resize(theta.size());  // keeps only the parameters
    const Value L = xor_loss(theta, answer);
    (step == 0 ? first : last) = L.data();
    backward(L);
    for (const Value& parameter : theta) parameter.node().data -= 0.1 * parameter.gradient();
  }
  std::cout << "          XOR with five of your neurons: the loss went from " << text(first) << " to "
            << text(last) << " in 500 steps\n";
  exercise::expect(last < 0.5,
                   {"training", "", "The gradients are right: does your tanh keep state between calls?"},
                   "The network did not learn XOR.", text(last), "below 0.5");
}

}  // namespace

exercise::Exercise scalar_tanh_exercise(const ScalarTanh& answer) {
  return {.name = "scalar_tanh",
          .stages = {{"value", [=] { value(answer); }},
                     {"gradient", [=] { gradient(answer); }},
                     {"the chain rule", [=] { chain(answer); }},
                     {"a number that is used twice", [=] { used_twice(answer); }},
                     {"finite differences", [=] { as_differences_say(answer); }},
                     {"learning XOR", [=] { learns_xor(answer); }, true}}};
}
