#include <cmath>
#include <optional>

#include "answer.hpp"

using namespace scalar;

namespace {

exercise::Attempt attempt(const std::string& name, const std::string& mistake, const ScalarTanh& answer) {
  return {name, mistake, scalar_tanh_exercise(answer)};
}

// tanh with a given backward slope, slope(x, y).
template <class Slope>
ScalarTanh with_slope(const Slope& slope) {
  return [=](Value x) {
    const double y = std::tanh(x.data());
    return record(*x.tape, y, [=](double g) { x.gradient() += g * slope(x.data(), y); });
  };
}

}  // namespace

int main() {
  const auto by_exponentials = [](Value x) {
    const double up = std::exp(x.data()), down = std::exp(-x.data()), y = (up - down) / (up + down);
    return record(*x.tape, y, [=](double g) { x.gradient() += g * (1 - y * y); });
  };
  const auto in_place = [](Value x) {
    x.node().data = std::tanh(x.data());
    const double y = x.data();
    return record(*x.tape, y, [=](double g) { x.gradient() += g * (1 - y * y); });
  };
  return exercise::bank({
      attempt("slope 1/cosh² x", "", with_slope([](double x, double) { return std::pow(std::cosh(x), -2); })),
      attempt("tanh recomputed in backward", "",
              [](Value x) {
                return record(*x.tape, std::tanh(x.data()), [x](double g) {
                  const double y = std::tanh(x.data());
                  x.gradient() = x.gradient() + (g - g * y * y);
                });
              }),
      attempt("tanh of y in the slope", "tanh-twice",
              with_slope([](double, double y) { return 1 - std::tanh(y) * std::tanh(y); })),
      attempt("added to the value of x", "in-place",
              [](Value x) {
                const double y = std::tanh(x.data());
                return record(*x.tape, y, [=](double g) { x.node().data += g * (1 - y * y); });
              }),
      attempt("added to the node before y", "other-node",
              [](Value x) {
                const double y = std::tanh(x.data());
                const std::size_t at = x.tape->size() - 1;
                return record(*x.tape, y, [=](double g) { (*x.tape)[at].gradient += g * (1 - y * y); });
              }),
      attempt("logistic function", "sigmoid",
              [](Value x) { return record(*x.tape, 1 / (1 + std::exp(-x.data()))); }),
      attempt("quotient of exponentials", "overflow", by_exponentials),
      attempt("1 for large −x, too", "wrong-sign",
              [](Value x) {
                const double y = std::abs(x.data()) > 20 ? 1 : std::tanh(x.data());
                return record(*x.tape, y, [=](double g) { x.gradient() += g * (1 - y * y); });
              }),
      attempt("x overwritten", "in-place", in_place),
      attempt("leaf returned", "no-way-back", [](Value x) { return record(*x.tape, std::tanh(x.data())); }),
      attempt("slope taken at x", "slope-at-x", with_slope([](double x, double) { return 1 - x * x; })),
      attempt("1 − y", "no-square", with_slope([](double, double y) { return 1 - y; })),
      attempt("y (1 − y)", "slope-of-sigmoid", with_slope([](double, double y) { return y * (1 - y); })),
      attempt("y² − 1", "sign", with_slope([](double, double y) { return y * y - 1; })),
      attempt("2 − y²", "gradient", with_slope([](double, double y) { return 2 - y * y; })),
      attempt("g forgotten", "no-chain",
              [](Value x) {
                const double y = std::tanh(x.data());
                return record(*x.tape, y, [=](double) { x.gradient() += 1 - y * y; });
              }),
      attempt("doubled", "factor", with_slope([](double, double y) { return 2 * (1 - y * y); })),
      attempt("(1 − y²)²", "squared", with_slope([](double, double y) { return (1 - y * y) * (1 - y * y); })),
      attempt("1 − y³", "gradient", with_slope([](double, double y) { return 1 - y * y * y; })),
      attempt("gradient assigned, not added", "assigned",
              [](Value x) {
                const double y = std::tanh(x.data());
                return record(*x.tape, y, [=](double g) { x.gradient() = g * (1 - y * y); });
              }),
      attempt("y of the first call kept", "remembers",
              [first = std::optional<double>()](Value x) mutable {
                const double y = std::tanh(x.data());
                if (!first) first = y;
                return record(*x.tape, y,
                              [=, kept = *first](double g) { x.gradient() += g * (1 - kept * kept); });
              }),
      attempt("slope 0 beyond 3", "cut-off",
              with_slope([](double x, double y) { return std::abs(x) > 3 ? 0 : 1 - y * y; })),
      attempt("without brackets", "no-brackets",
              [](Value x) {
                const double y = std::tanh(x.data());
                return record(*x.tape, y, [=](double g) { x.gradient() += g - y * y; });
              }),
      attempt("float", "inexact",
              [](Value x) {
                const double y = std::tanh(static_cast<float>(x.data()));
                return record(*x.tape, y, [=](double g) { x.gradient() += g * (1 - y * y); });
              }),
      attempt("g²", "gradient",
              [](Value x) {
                const double y = std::tanh(x.data());
                return record(*x.tape, y, [=](double g) { x.gradient() += g * g * (1 - y * y); });
              }),
      attempt("(1 − y)²", "square-of-difference",
              with_slope([](double, double y) { return (1 - y) * (1 - y); })),
      attempt("y (1 − y²)", "times-y", with_slope([](double, double y) { return y * (1 - y * y); })),
      attempt("a reference to the node of x", "no-way-back",
              [](Value x) {
                const double y = std::tanh(x.data());
                // Adds the gradient to a copy of x's node, so x gets no gradient. A reference would also be
                // wrong: record() may move the nodes, and leave the reference dangling.
                Node lost = x.node();
                return record(*x.tape, y, [=](double g) mutable { lost.gradient += g * (1 - y * y); });
              }),
      attempt("backward function set afterwards", "",
              [](Value x) {
                const Value y = record(*x.tape, std::tanh(x.data()));
                y.node().backward = [x, y](double g) { x.gradient() += g - g * y.data() * y.data(); };
                return y;
              }),
      attempt("x itself where it is small", "returns-x",
              [](Value x) {
                if (std::abs(x.data()) < 1e-3 && x.data() != 0) return x;
                const double y = std::tanh(x.data());
                return record(*x.tape, y, [=](double g) { x.gradient() += g * (1 - y * y); });
              }),
      attempt("x itself", "returns-x", [](Value x) { return x; }),
      attempt("only the first gradient added", "only-first",
              [](Value x) {
                const double y = std::tanh(x.data());
                return record(*x.tape, y, [=](double g) {
                  if (x.gradient() == 0) x.gradient() += g * (1 - y * y);
                });
              }),
      attempt("y of the last call", "remembers",
              [](Value x) {
                static double y;
                y = std::tanh(x.data());
                return record(*x.tape, y, [=](double g) { x.gradient() += g * (1 - y * y); });
              }),
      attempt("half of the slope", "halved",
              [](Value x) {
                const double y = std::tanh(x.data());
                return record(*x.tape, y, [=](double g) { x.gradient() += g * (1 - y * y) / 2; });
              }),
      attempt("1 / cosh x", "no-square",
              [](Value x) {
                return record(*x.tape, std::tanh(x.data()),
                              [=](double g) { x.gradient() += g / std::cosh(x.data()); });
              }),
      attempt("the sign of x", "sign-of-x",
              [](Value x) {
                const double y = std::tanh(x.data());
                return record(*x.tape, y,
                              [=](double g) { x.gradient() += (x.data() < 0 ? -g : g) * (1 - y * y); });
              }),
  });
}
