// gradcheck() where finite differences are unreliable: at kinks, near the end of a domain, and under strong
// curvature or rounding.

#include <gradus/autograd/gradcheck.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/tape.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include "autograd/helpers.hpp"

using gradus::Gradients;
using gradus::Tensor;
using gradus::tensor;

using Tensors = std::vector<Tensor>;
using Indices = std::vector<std::int64_t>;

namespace {

// An elementwise function with a gradient of our choice, right or wrong.
struct Planted {
  double (*value)(double);
  double (*gradient)(double);

  gradus::GradcheckEntry check(const std::vector<double>& at) const {
    const auto f = [this](const Tensors& x) { return apply(x[0]); };
    return gradus::gradcheck(f, {tensor(at, {std::ssize(at)})}).entries.at(0);
  }

 private:
  Tensor apply(const Tensor& x) const {
    std::vector<double> values = x.to_vector<double>(), gradients = values;
    for (double& v : values) v = value(v);
    for (double& v : gradients) v = gradient(v);
    return record("planted", tensor(values, x.shape()), {x}, {}, [gradients](Gradients& g) {
      const Tensor factor = tensor(gradients, g.out().shape());
      g.add(0, g.out() * factor);
    });
  }
};

}  // namespace

TEST_CASE("a correct gradient passes when a smaller step confirms it", "[autograd][gradcheck]") {
  const Planted logarithm{[](double x) { return std::log(x); }, [](double x) { return 1 / x; }};
  // The points approach 0, the end of log's domain. At the first points, log curves too much for the step h.
  // At the next point, x − 2h is outside the domain. At the last points, x − h is outside, too.
  for (const double x : {0.01, 0.0025, 0.0015, 0.0007, 1e-4, 1e-8, 1e-12}) {
    CAPTURE(x);
    const auto entry = logarithm.check({x});
    CHECK(entry.passed());
    CHECK(entry.judged() == 1);
    CHECK(std::abs(entry.numeric / entry.analytic - 1) < 1e-6);
  }
}

TEST_CASE("a wrong gradient of a smooth function is reported, however curved it is",
          "[autograd][gradcheck]") {
  const Planted wrong[] = {
      {[](double x) { return 3 * x + 1000; }, [](double) { return 0.0; }},
      {[](double x) { return 3 * x + 1000; }, [](double) { return 3 * (1 + 1e-5); }},
      {[](double x) { return x * x; }, [](double x) { return -2 * x; }},
      {[](double x) { return x * x + x; }, [](double) { return 1.0; }},
      {[](double x) { return std::tanh(50 * x); }, [](double) { return 0.0; }},
      {[](double x) { return std::tanh(50 * x); }, [](double x) { return std::pow(std::cosh(50 * x), -2); }},
      {[](double x) { return std::exp(30 * x); },
       [](double x) { return (1 + 1e-5) * 30 * std::exp(30 * x); }},
      {[](double x) { return std::log(x); }, [](double x) { return -1 / x; }},
      {[](double x) { return std::log(x); }, [](double x) { return (1 + 1e-5) / x; }},
      {[](double x) { return std::log(x); }, [](double) { return std::nan(""); }},
      {[](double x) { return std::log(x); }, [](double) { return 0.0; }},
      {[](double x) { return std::sin(300 * x); }, [](double x) { return -300 * std::cos(300 * x); }},
  };
  for (std::size_t k = 0; k < std::size(wrong); ++k) {
    CAPTURE(k);
    CHECK(wrong[k].check({0.01, 0.03}).wrong == 2);
  }
  const Planted flipped{[](double x) { return std::log(x); }, [](double x) { return -1 / x; }};
  CHECK(flipped.check({0.0015}).wrong == 1);  // here x − 2h is outside the domain
}

TEST_CASE("near a kink, correct gradients are accepted and wrong ones reported", "[autograd][gradcheck]") {
  const Planted ramp{[](double x) { return std::max(x, 0.0); }, [](double x) { return x > 0 ? 1.0 : 0.0; }};
  const Planted absolute{[](double x) { return std::abs(x); }, [](double x) { return x > 0 ? 1.0 : -1.0; }};
  const Planted flipped{[](double x) { return std::abs(x); }, [](double x) { return x < 0 ? 1.0 : -1.0; }};
  for (const double x :
       {0.0, 1e-12, 1e-9, 1e-7, 1e-6, 5e-6, 1.5e-5, 3e-5, 6e-5, 1e-4, 1.5e-4, 6e-4, 1.5e-3}) {
    CAPTURE(x);
    CHECK(ramp.check({x, -x}).wrong == 0);
    CHECK(absolute.check({x, -x}).wrong == 0);
    CHECK(flipped.check({x, -x}).wrong == (x == 0 ? 0 : 2));
    CHECK(absolute.check({x, -x}).not_judged == (x == 0 ? 2 : 0));  // for x ≠ 0, a small step avoids the kink
  }
}

TEST_CASE("a kink does not excuse an error that it cannot explain", "[autograd][gradcheck]") {
  const Planted slight{[](double x) { return x + 1e-3 * std::abs(x); }, [](double) { return -1.0; }};
  CHECK(slight.check({0}).wrong == 1);
}

TEST_CASE("the report names the first element not judged, with its finite differences",
          "[autograd][gradcheck]") {
  const auto report =
      gradus::gradcheck([](const Tensors& x) { return relu(x[0]); }, {tensor({{0.5, -2, 0}, {1, 0, 0.25}})});
  CHECK(report);
  CHECK(report.entries.at(0).not_judged == 2);
  CHECK(report.entries.at(0).first_open.index == Indices{0, 2});
  const std::string line = printed(report);
  CHECK(line.starts_with("gradient check passed\n  ok    input 0 (2, 3): worst at ["));
  CHECK(line.ends_with(
      ")\n        2 of 6 elements not judged, the first [0, 2]: analytic 0, estimates 0.561767 "
      "and 0.561767,\n        slopes 0 and 1.12353 on its sides, rounding error at most 1.2e-14\n"));
}

TEST_CASE("an entry without a judged element fails", "[autograd][gradcheck]") {
  const auto kinks =
      gradus::gradcheck([](const Tensors& x) { return relu(x[0]) * x[1]; }, {tensor({0, 0}), tensor({2, 3})});
  CHECK_FALSE(kinks);
  CHECK(kinks.entries.at(0).wrong == 0);
  CHECK(printed(kinks) ==
        "gradient check FAILED\n"
        "  DOUBT input 0 (2): 2 of 2 elements not judged, the first [0]: analytic 0, estimates -0.511254 and "
        "-0.511254,\n        slopes 0 and -1.02251 on its sides, rounding error at most 1.1e-14, so this "
        "checked nothing: start from other values\n"
        "  ok    input 1 (2): worst at [0], analytic 0, numeric 0, off by 0 (allowed 0); every gradient "
        "is 0, so this checked nothing: start from other values\n");

  const auto pole = gradus::gradcheck([](const Tensors& x) { return log(x[0]); }, {tensor({0.0})});
  CHECK_FALSE(pole);
  CHECK(pole.entries.at(0).wrong == 0);
  CHECK(pole.entries.at(0).not_judged == 1);
}

TEST_CASE("a kink in one element does not hide a wrong gradient in another", "[autograd][gradcheck]") {
  const Planted f{[](double x) { return std::abs(x); }, [](double) { return 1.0; }};
  const auto entry = f.check({0, 1, -1});
  CHECK_FALSE(entry.passed());
  CHECK(entry.wrong == 1);
  CHECK(entry.worst == Indices{2});
  CHECK(printed(gradus::GradcheckReport{{entry}}) ==
        "gradient check FAILED\n"
        "  WRONG input 0 (3): worst at [2], analytic 1.12353485, numeric -1.12353485, off by 2.2 (allowed "
        "1.1e-06); 1 of 3 elements is wrong\n        1 of 3 elements not judged, the first [0]: analytic "
        "-0.511254, estimates 0 and 0,\n        slopes 0.511254 and -0.511254 on its sides, rounding error "
        "at most 5.4e-15\n");
}

TEST_CASE("at least half of the elements must be judged", "[autograd][gradcheck]") {
  const auto ramp = [](const Tensors& x) { return relu(x[0]); };
  CHECK(gradus::gradcheck(ramp, {tensor({0, 1})}).passed());
  const auto report = gradus::gradcheck(ramp, {tensor({0, 1, 0})});
  CHECK_FALSE(report.passed());
  CHECK(printed(report).starts_with("gradient check FAILED\n  DOUBT input 0 (3): worst at [1], "));
  CHECK(printed(report).ends_with(", fewer than half were judged: start from other values\n"));
}

TEST_CASE("rounding of result elements that do not change is ignored", "[autograd][gradcheck]") {
  // `right` has the correct gradient. `wrong` has a wrong gradient at one point of the list `at`: the point
  // with the smallest value of the function.
  const struct {
    Planted right, wrong;
    std::vector<double> at;
  } cases[] = {
      {{[](double x) { return x * x; }, [](double x) { return 2 * x; }},
       {[](double x) { return x * x; }, [](double x) { return x < 1e-3 ? -2 * x : 2 * x; }},
       {1e6, 1e-6, 1}},
      {{[](double x) { return std::exp(200 * x); }, [](double x) { return 200 * std::exp(200 * x); }},
       {[](double x) { return std::exp(200 * x); },
        [](double x) { return (x < -0.2 ? 201 : 200) * std::exp(200 * x); }},
       {0.1, -0.12, 0.25, 0.03, -0.23, -0.05}},
  };
  for (const auto& [right, wrong, at] : cases) {
    CHECK(right.check(at).passed());
    CHECK(right.check(at).not_judged == 0);
    CHECK(wrong.check(at).wrong == 1);
  }
}

TEST_CASE("the tolerance covers only the rounding of differences", "[autograd][gradcheck]") {
  const std::vector<double> at = {0.7, -1.3, 0.2, 2.1};
  const auto shifted = [&](auto gradient) {
    return Planted{[](double x) { return x * x + 1e9; }, gradient}.check(at);
  };
  CHECK(shifted([](double x) { return 2 * x; }).passed());
  CHECK(shifted([](double x) { return -2 * x; }).wrong == 4);
  CHECK(shifted([](double x) { return 2.01 * x; }).wrong == 4);
  CHECK(shifted([](double) { return 0.0; }).wrong == 4);

  // The function of `inside` adds 1e8 to x, and then subtracts 1e8. Its result is small, but has the rounding
  // error of numbers near 1e8.
  const auto inside = [&](auto gradient) {
    return Planted{[](double x) { return x + 1e8 - 1e8; }, gradient}.check(at);
  };
  CHECK(inside([](double) { return 1.0; }).wrong == 0);
  CHECK(inside([](double) { return -1.0; }).wrong + inside([](double) { return -1.0; }).not_judged == 4);
}

TEST_CASE("a gradient lost in rounding is not judged", "[autograd][gradcheck]") {
  // A step of h changes x² by less than the last digit of 1e15, so the difference is 0.
  const Planted swallowed{[](double x) { return x * x + 1e15; }, [](double x) { return 2 * x; }};
  const auto entry = swallowed.check({1});
  CHECK_FALSE(entry.passed());
  CHECK(entry.wrong == 0);
  CHECK(entry.not_judged == 1);
  // A constant added to all inputs of softmax does not change the result, so x[1] has no effect. The gradient
  // of x[1] is 0, up to rounding in backward().
  const auto invariant = [](const Tensors& x) { return softmax(x[0] + x[1]); };
  CHECK(gradus::gradcheck(invariant, {tensor({0.3, -1.2, 0.4}), tensor({0.7})}).passed());
}

TEST_CASE("small steps confirm gradients of strongly curved functions", "[autograd][gradcheck]") {
  const auto check = [](auto value, auto gradient, const std::vector<double>& at) {
    return Planted{value, gradient}.check(at);
  };
  // log and 1/x curve strongly only at the first of their two points.
  const auto logarithm = [](double x) { return std::log(x); };
  CHECK(check(logarithm, [](double x) { return 1 / x; }, {1e-4, 1}).passed());
  CHECK(check(logarithm, [](double x) { return x < 1e-3 ? -1 / x : 1 / x; }, {1e-4, 1}).wrong == 1);
  const auto inverse = [](double x) { return 1 / x; };
  CHECK(check(inverse, [](double x) { return -1 / (x * x); }, {3e-4, 1}).passed());
  CHECK(check(inverse, [](double x) { return (x < 1e-3 ? -2 : -1) / (x * x); }, {3e-4, 1}).wrong == 1);
  const auto wave = [](double x) { return std::sin(1e4 * x); };
  CHECK(check(wave, [](double x) { return 1e4 * std::cos(1e4 * x); }, {0.3, -1.1, 1e-5}).passed());
  CHECK(check(wave, [](double x) { return -1e4 * std::cos(1e4 * x); }, {0.3, -1.1, 1e-5}).wrong == 3);
  // The period is 1e-4. The first step is a multiple of the period, so its difference is 0.
  const auto periods = [](double x) { return std::sin(2e4 * M_PI * x); };
  CHECK(check(periods, [](double x) { return 2e4 * M_PI * std::cos(2e4 * M_PI * x); }, {0.3, -1.1}).passed());

  const Tensors small = {tensor({2e-6, -1e-6, 3e-7, 0})};
  CHECK(gradus::gradcheck([](const Tensors& x) { return x[0] / sqrt(sum(x[0] * x[0])); }, small).passed());
  const auto detached =
      gradus::gradcheck([](const Tensors& x) { return x[0] / sqrt(sum(x[0] * x[0]).detach()); }, small);
  CHECK(detached.entries[0].wrong >= 3);
}
