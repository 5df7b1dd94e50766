// gradcheck(): which gradients it must accept and which it must reject.

#include <gradus/autograd/gradcheck.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/recording.hpp>
#include <gradus/autograd/scope.hpp>
#include <gradus/autograd/tape.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string>

#include "autograd/helpers.hpp"

using gradus::Dtype;
using gradus::Gradients;
using gradus::NamedTensors;
using gradus::Tensor;
using gradus::tensor;

using Tensors = std::vector<Tensor>;
using Indices = std::vector<std::int64_t>;

namespace {

// x², with the gradient of one element multiplied by `factor`.
Tensor square(const Tensor& x, double factor, std::size_t at = 0) {
  return record("square", (x * x).detach(), {x}, {x}, [=](Gradients& g) {
    const auto values = g.saved(0).values<double>();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double right = 2 * values[i] * g.out().values<double>()[i];
      Tensor(g.in(0)).mutable_values<double>()[i] += i == at ? factor * right : right;
    }
  });
}

// An elementwise function with a chosen gradient, right or wrong.
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

bool passes(double factor) {
  return gradus::gradcheck([=](const Tensors& x) { return square(x[0], factor); }, {tensor({2, 3})}).passed();
}

}  // namespace

TEST_CASE("correct gradients pass", "[autograd][gradcheck]") {
  const Tensors inputs = {tensor({{0.3, -1.2, 2}, {0.7, 0.1, -0.4}}), tensor({0.5, 1.5, -2})};
  const auto report =
      gradus::gradcheck([](const Tensors& x) { return softmax(tanh(x[0]) * x[1]) / exp(x[1]); }, inputs);
  INFO(report);
  CHECK(report);
  REQUIRE(report.entries.size() == 2);
  CHECK(report.entries[0].name == "input 0");
  CHECK(report.entries[0].shape == inputs[0].shape());
  CHECK(report.entries[1].name == "input 1");
  CHECK(report.entries[1].error < 1e-10);
  CHECK_FALSE(report.entries[1].all_zero);
}

TEST_CASE("a wrong sign, a missing gradient, a wrong factor and NaN fail", "[autograd][gradcheck]") {
  CHECK(passes(1));
  CHECK(passes(1 + 1e-8));
  CHECK_FALSE(passes(-1));
  CHECK_FALSE(passes(0));
  CHECK_FALSE(passes(2));
  CHECK_FALSE(passes(1 + 1e-5));
  CHECK_FALSE(passes(std::numeric_limits<double>::quiet_NaN()));
  CHECK_FALSE(passes(std::numeric_limits<double>::infinity()));
}

TEST_CASE("the report names the worst element and both its gradients", "[autograd][gradcheck]") {
  const Tensor x = tensor({{1, 2, 3}, {4, 5, 6}});
  gradus::Generator generator(gradus::GradcheckOptions{}.seed);
  const double incoming = normal({2, 3}, 0, 1, generator, Dtype::f64)[1][1].item();

  const auto report = gradus::gradcheck([](const Tensors& t) { return square(t[0], -1, 4); }, {x});
  const auto& entry = report.entries.at(0);
  CHECK_FALSE(report);
  CHECK(entry.wrong == 1);
  CHECK(entry.worst == Indices{1, 1});
  CHECK(difference({entry.analytic, entry.numeric, entry.error},
                   {-10 * incoming, 10 * incoming, 20 * std::abs(incoming)}, 1e-9) == "");
  CHECK(std::abs(entry.allowed / std::abs(10e-6 * incoming) - 1) < 1e-3);  // rtol, plus a little for rounding
  const std::string text = printed(report);
  CHECK(text.starts_with("gradient check FAILED\n  WRONG input 0 (2, 3): worst at [1, 1], analytic "));
  CHECK(text.ends_with("; 1 of 6 elements are wrong\n"));
}

TEST_CASE("NaN counts as the worst element", "[autograd][gradcheck]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto report = gradus::gradcheck(
      [=](const Tensors& t) { return square(square(t[0], nan, 2), 1e6, 0); }, {tensor({1, 2, 3})});
  CHECK(report.entries.at(0).worst == Indices{2});
  CHECK(std::isnan(report.entries.at(0).error));
  CHECK(report.entries.at(0).wrong == 2);
}

TEST_CASE("the report points out a gradient that is 0 everywhere", "[autograd][gradcheck]") {
  const auto report =
      gradus::gradcheck([](const Tensors& x) { return x[0] * 0.0 + x[1]; }, {tensor({1, 2}), tensor({3})});
  CHECK(report);
  CHECK(report.entries.at(0).all_zero);
  CHECK_FALSE(report.entries.at(1).all_zero);
  CHECK(printed(report).find("input 0 (2): worst at [0], analytic 0, numeric 0, off by 0 (allowed 0); every "
                             "gradient is 0, so this checked nothing: start from other values\n") !=
        std::string::npos);

  const auto wrong = gradus::gradcheck([](const Tensors& x) { return square(x[0], 0); }, {tensor({2})});
  CHECK(wrong.entries.at(0).all_zero);
  CHECK(printed(wrong).ends_with("; 1 of 1 elements are wrong\n"));  // no hint: the 0 is wrong
}

TEST_CASE("an unused input has gradient 0", "[autograd][gradcheck]") {
  const auto report =
      gradus::gradcheck([](const Tensors& x) { return x[1] * 2.0; }, {tensor({1, 2}), tensor({3})});
  CHECK(report);
  CHECK(report.entries.at(0).all_zero);
}

TEST_CASE("integer inputs are passed through unchecked, and empty inputs pass", "[autograd][gradcheck]") {
  const auto report =
      gradus::gradcheck([](const Tensors& x) { return gradus::concat({embedding(x[0], x[1]), x[2]}, 0); },
                        {tensor({{1, 2}, {3, 4}}), gradus::arange(2), gradus::zeros({0, 2})});
  CHECK(report);
  REQUIRE(report.entries.size() == 2);
  CHECK(report.entries[1].name == "input 2");
  CHECK(report.entries[1].worst.empty());
}

TEST_CASE("the caller can set step and tolerances", "[autograd][gradcheck]") {
  const auto cube = [](const Tensors& x) { return x[0] * x[0] * x[0]; };
  const auto fifth = [&](const Tensors& x) { return cube(x) * x[0] * x[0]; };
  const Tensors inputs = {tensor({1, 2})};
  CHECK(gradus::gradcheck(cube, inputs, {.step = 0.5, .rtol = 1e-12}).passed());  // exact for any step
  // A step of 50 is too large for the default tolerances, so that a smaller step is used.
  CHECK(gradus::gradcheck(fifth, inputs, {.step = 50}).entries[0].error > 1e-9);
  CHECK(gradus::gradcheck(fifth, inputs, {.step = 50, .rtol = 10}).entries[0].error > 1e7);
  CHECK(gradus::gradcheck(fifth, inputs, {.step = 50, .atol = 1e9}).entries[0].error > 1e7);
}

TEST_CASE("the incoming gradient is random", "[autograd][gradcheck]") {
  // Under a plain sum, softmax's gradient is 0, so any multiple of it would pass.
  const auto scaled_softmax = [](const Tensors& inputs) {
    return record("scaled", softmax(inputs[0]).detach(), {inputs[0]}, {inputs[0]}, [](Gradients& g) {
      const gradus::EnableGrad enable_grad;
      const Tensor x = leaf(g.saved(0));
      softmax(x).backward(g.out() * 2.0);
      g.add(0, x.grad());
    });
  };
  const Tensors values = {tensor({0.1, 0.5, -0.3})};
  CHECK_FALSE(gradus::gradcheck(scaled_softmax, values).passed());
  const auto first = gradus::gradcheck(scaled_softmax, values, {.seed = 1}).entries[0].numeric;
  CHECK(first == gradus::gradcheck(scaled_softmax, values, {.seed = 1}).entries[0].numeric);
  CHECK(first != gradus::gradcheck(scaled_softmax, values, {.seed = 2}).entries[0].numeric);
}

TEST_CASE("inputs of any dtype are copied and stay unchanged", "[autograd][gradcheck]") {
  const Tensor x = leaf(tensor({1, 2}));
  CHECK(gradus::gradcheck([](const Tensors& t) { return t[0] * t[0]; }, {x}).passed());
  CHECK(x.to_vector<float>() == std::vector<float>{1, 2});
  CHECK(x.dtype() == Dtype::f32);
  CHECK_FALSE(x.grad().defined());
}

TEST_CASE("leaves captured by the function are checked by name and restored", "[autograd][gradcheck]") {
  const Tensor w = leaf(tensor({{1, 2}, {3, 4}}, Dtype::f64)), b = leaf(tensor({0.1, 0.2}, Dtype::f64));
  sum(w).backward();  // an old gradient is cleared first
  const auto report =
      gradus::gradcheck([&] { return tanh(matmul(w, w) * 0.1 + b); }, NamedTensors{{"w", w}, {"b", b}});
  CHECK(report);
  CHECK(report.entries.at(0).name == "w");
  CHECK(report.entries.at(1).name == "b");
  CHECK(w.to_vector<double>() == std::vector<double>{1, 2, 3, 4});
  CHECK(b.to_vector<double>() == std::vector<double>{0.1, 0.2});
}

TEST_CASE("leaves are restored when the function throws", "[autograd][gradcheck]") {
  const Tensor w = leaf(tensor({1, 2}, Dtype::f64));
  int calls = 0;
  const auto fragile = [&] {
    if (++calls == 5) throw std::runtime_error("broken");
    return w * w;
  };
  CHECK_THROWS_WITH(gradus::gradcheck(fragile, NamedTensors{{"w", w}}), "broken");
  CHECK(w.to_vector<double>() == std::vector<double>{1, 2});
}

TEST_CASE("a correct gradient passes when a smaller step confirms it", "[autograd][gradcheck]") {
  const Planted logarithm{[](double x) { return std::log(x); }, [](double x) { return 1 / x; }};
  // The points approach 0. At first, the curvature is too strong for a step of h. Then x − 2h is outside the
  // domain, and finally x − h too.
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
  CHECK(flipped.check({0.0015}).wrong == 1);  // x − 2h is outside the domain
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
    CHECK(absolute.check({x, -x}).not_judged == (x == 0 ? 2 : 0));  // a small step avoids the kink
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
  CHECK(
      line.ends_with("); 2 of 6 elements not judged, the first [0, 2]: analytic 0, estimates 0.561767 and "
                     "0.561767, slopes 0 and 1.12353 on its sides, rounding up to 1.2e-14\n"));
}

TEST_CASE("an entry without a judged element fails", "[autograd][gradcheck]") {
  const auto kinks =
      gradus::gradcheck([](const Tensors& x) { return relu(x[0]) * x[1]; }, {tensor({0, 0}), tensor({2, 3})});
  CHECK_FALSE(kinks);
  CHECK(kinks.entries.at(0).wrong == 0);
  CHECK(
      printed(kinks) ==
      "gradient check FAILED\n"
      "  DOUBT input 0 (2): 2 of 2 elements not judged, the first [0]: analytic 0, estimates -0.511254 and "
      "-0.511254, slopes 0 and -1.02251 on its sides, rounding up to 1.1e-14, so this checked nothing: start "
      "from other values\n"
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
        "1.1e-06); 1 of 3 elements are wrong; 1 of 3 elements not judged, the first [0]: analytic -0.511254, "
        "estimates 0 and 0, slopes 0.511254 and -0.511254 on its sides, rounding up to 5.4e-15\n");
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
  // A correct gradient, one that is wrong only for the smallest element, and the points to check.
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

  // f rounds at 1e8, although its result is small.
  const auto inside = [&](auto gradient) {
    return Planted{[](double x) { return x + 1e8 - 1e8; }, gradient}.check(at);
  };
  CHECK(inside([](double) { return 1.0; }).wrong == 0);
  CHECK(inside([](double) { return -1.0; }).wrong + inside([](double) { return -1.0; }).not_judged == 4);
}

TEST_CASE("a gradient lost in rounding is not judged", "[autograd][gradcheck]") {
  // A step of h changes x² by less than the last digit of 1e15.
  const Planted swallowed{[](double x) { return x * x + 1e15; }, [](double x) { return 2 * x; }};
  const auto entry = swallowed.check({1});
  CHECK_FALSE(entry.passed());
  CHECK(entry.wrong == 0);
  CHECK(entry.not_judged == 1);
  // x[1] does not change the result: its gradient is 0 except for rounding in backward().
  const auto invariant = [](const Tensors& x) { return softmax(x[0] + x[1]); };
  CHECK(gradus::gradcheck(invariant, {tensor({0.3, -1.2, 0.4}), tensor({0.7})}).passed());
}

TEST_CASE("small steps confirm gradients of strongly curved functions", "[autograd][gradcheck]") {
  const auto check = [](auto value, auto gradient, const std::vector<double>& at) {
    return Planted{value, gradient}.check(at);
  };
  // The second element is easy to judge.
  const auto logarithm = [](double x) { return std::log(x); };
  CHECK(check(logarithm, [](double x) { return 1 / x; }, {1e-4, 1}).passed());
  CHECK(check(logarithm, [](double x) { return x < 1e-3 ? -1 / x : 1 / x; }, {1e-4, 1}).wrong == 1);
  const auto inverse = [](double x) { return 1 / x; };
  CHECK(check(inverse, [](double x) { return -1 / (x * x); }, {3e-4, 1}).passed());
  CHECK(check(inverse, [](double x) { return (x < 1e-3 ? -2 : -1) / (x * x); }, {3e-4, 1}).wrong == 1);
  const auto wave = [](double x) { return std::sin(1e4 * x); };
  CHECK(check(wave, [](double x) { return 1e4 * std::cos(1e4 * x); }, {0.3, -1.1, 1e-5}).passed());
  CHECK(check(wave, [](double x) { return -1e4 * std::cos(1e4 * x); }, {0.3, -1.1, 1e-5}).wrong == 3);
  // The differences over 1e-3 and 1e-4 are 0: both are whole periods.
  const auto periods = [](double x) { return std::sin(2e4 * M_PI * x); };
  CHECK(check(periods, [](double x) { return 2e4 * M_PI * std::cos(2e4 * M_PI * x); }, {0.3, -1.1}).passed());

  const Tensors small = {tensor({2e-6, -1e-6, 3e-7, 0})};
  CHECK(gradus::gradcheck([](const Tensors& x) { return x[0] / sqrt(sum(x[0] * x[0])); }, small).passed());
  const auto detached =
      gradus::gradcheck([](const Tensors& x) { return x[0] / sqrt(sum(x[0] * x[0]).detach()); }, small);
  CHECK(detached.entries[0].wrong >= 3);
}

TEST_CASE("very small and very large gradients are checked alike", "[autograd][gradcheck]") {
  for (const double scale : {1e-6, 1e-10, 1e-20, 1e20}) {
    CAPTURE(scale);
    const auto scaled = [=](double factor) {
      return gradus::gradcheck([=](const Tensors& x) { return square(x[0], factor) * scale; },
                               {tensor({2, 3})});
    };
    CHECK(scaled(1).passed());
    CHECK_FALSE(scaled(2).passed());
    CHECK_FALSE(scaled(0).passed());
    CHECK_FALSE(scaled(1 + 1e-5).passed());
  }
}

TEST_CASE("a gradient that depends on which others are wanted is wrong", "[autograd][gradcheck]") {
  // a · b · c, with the gradients multiplied by factor(number of wanted gradients).
  const auto product = [](double (*factor)(int)) {
    return [=](const Tensors& x) {
      return record("product", (x[0] * x[1] * x[2]).detach(), {x[0], x[1], x[2]}, {x[0], x[1], x[2]},
                    [=](Gradients& g) {
                      const int wanted = g.wants(0) + g.wants(1) + g.wants(2);
                      for (const int i : {0, 1, 2}) {
                        const Tensor others = g.saved((i + 1) % 3) * g.saved((i + 2) % 3);
                        if (g.wants(i)) g.add(i, g.out() * others * factor(wanted));
                      }
                    });
    };
  };
  const Tensors inputs = {tensor({2, 3}), tensor({0.5, -1}), tensor({-2, 0.25})};
  CHECK(gradus::gradcheck(product([](int) { return 1.0; }), inputs).passed());
  CHECK_FALSE(
      gradus::gradcheck(product([](int wanted) { return wanted == 3 ? 2.0 : 1.0; }), inputs).passed());

  const auto alone = gradus::gradcheck(product([](int wanted) { return wanted == 1 ? 2.0 : 1.0; }), inputs);
  CHECK_FALSE(alone.passed());
  for (const auto& entry : alone.entries) CHECK(entry.wrong == 2);
  CHECK(printed(alone).find("; 2 of 2 elements are wrong when no other needs a gradient\n") !=
        std::string::npos);

  const auto pairs = gradus::gradcheck(product([](int wanted) { return wanted == 2 ? 0.0 : 1.0; }), inputs);
  CHECK_FALSE(pairs.passed());
  CHECK(pairs.entries[0].needing == "when 'input 1' needs no gradient");
  CHECK(pairs.entries[1].needing == "when 'input 0' needs no gradient");
}

TEST_CASE("leaves keep requires_grad and their hooks, even when the function throws",
          "[autograd][gradcheck]") {
  Tensor w = leaf(tensor({1, 2}, Dtype::f64)), b = leaf(tensor({3, 4}, Dtype::f64));
  int calls = 0;
  w.add_hook([&](const Tensor&) {
    ++calls;
    return Tensor();
  });
  const auto f = [&] {
    if (calls == 2) throw std::runtime_error("broken");  // reached when only b requires a gradient
    return w * b;
  };
  const NamedTensors leaves = {{"w", w}, {"b", b}};
  CHECK_THROWS_WITH(gradus::gradcheck(f, leaves), "broken");
  CHECK(calls == 2);  // w's hook ran with both gradients wanted, then with only w's
  CHECK(w.requires_grad());
  CHECK(b.requires_grad());
  sum(w * b).backward();
  CHECK(calls == 3);
}

TEST_CASE("gradcheck() rejects inputs and functions that it cannot check", "[autograd][gradcheck]") {
  const Tensor single = leaf(tensor({1, 2})), twofold = leaf(tensor({1, 2}, Dtype::f64));
  CHECK_ERROR(gradus::gradcheck([&] { return single * single; }, NamedTensors{{"decoder.W", single}}),
              "gradcheck: 'decoder.W' (2) is f32 and must be f64, because rounding swamps finite differences "
              "in f32; convert "
              "the module with .to(Dtype::f64)");
  CHECK_ERROR(gradus::gradcheck([&] { return twofold * twofold; }, NamedTensors{{"W", twofold.detach()}}),
              "gradcheck: 'W' (2) does not require a gradient");
  CHECK_ERROR(gradus::gradcheck([](const Tensors& x) { return x[0].to(Dtype::f32); }, {twofold}),
              "gradcheck: the function's result (2) is f32; it must be f64 and depend on what is checked");
  CHECK_ERROR(
      gradus::gradcheck([](const Tensors& x) { return x[0].detach(); }, {twofold}),
      "gradcheck: the function's result (2) is f64 and needs no gradient; it must be f64 and depend on "
      "what is checked");

  double drift = 0;
  CHECK_ERROR(gradus::gradcheck([&](const Tensors& x) { return x[0] * 0.0 + drift++; },
                                {tensor(std::vector<float>{1}, {})}),
              "gradcheck: two calls of the function gave 0 and 1; it must compute the same each time "
              "(call eval() on a module with dropout)");

  std::int64_t rows = 1;
  CHECK_ERROR(
      gradus::gradcheck([&](const Tensors& x) { return expand(x[0], {rows++, 2}); }, {twofold}),
      "gradcheck: two calls of the function gave results of shapes (1, 2) and (2, 2); it must compute "
      "the same each time");
}

TEST_CASE("a tensor listed under two names has its gradient under both", "[autograd][gradcheck]") {
  const Tensor x = leaf(tensor({1, 2, 3}, Dtype::f64));
  const auto report = gradus::gradcheck([&] { return x * x; }, {{"tied", x}, {"again", x}});
  CAPTURE(report);
  CHECK(report.passed());
  CHECK_FALSE(report.entries[1].all_zero);
}

TEST_CASE("elements drawn from each tensor", "[autograd][gradcheck]") {
  gradus::Generator generator(3);
  const Tensor x = leaf(normal({5, 20}, 0, 1, generator, Dtype::f64));
  const Tensor few = leaf(tensor({1, 2}, Dtype::f64));
  int calls = 0;
  const auto f = [&] {
    ++calls;
    return sum(x * x) * sum(few);
  };
  const auto check = [&](std::uint64_t seed) {
    calls = 0;
    return gradus::gradcheck(f, {{"x", x}, {"few", few}}, {.seed = seed, .elements = 7});
  };
  const auto report = check(1);
  CAPTURE(report);
  CHECK(report.passed());
  CHECK(report.entries[0].checked == 7);
  CHECK(report.entries[0].judged() == 7);
  CHECK(report.entries[1].checked == 2);
  CHECK(calls < 4 * (7 + 2) + 10);  // four calls per element, and a few for all
  CHECK(printed(report).find("ok    x (5, 20), 7 of 100 elements drawn: worst at ") != std::string::npos);
  CHECK(printed(report).find("ok    few (2): worst at ") != std::string::npos);
  CHECK(printed(check(1)) == printed(report));
  CHECK(printed(check(2)) != printed(report));
}

TEST_CASE("a check of drawn elements finds the wrong ones among them", "[autograd][gradcheck]") {
  const Tensor x = leaf(gradus::ones({100}, Dtype::f64));
  // The gradients of the first half are missing.
  const auto f = [&] { return gradus::concat({x.slice(0, 50).detach() * 2.0, x.slice(50, 100) * 2.0}, 0); };
  std::int64_t wrong = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto report = gradus::gradcheck(f, {{"x", x}}, {.seed = seed, .elements = 10});
    CHECK(report.entries[0].checked == 10);
    CHECK_FALSE(report.passed());
    wrong += report.entries[0].wrong;
  }
  CHECK(wrong > 70);  // 100 expected; the standard deviation is below 7
  CHECK(wrong < 130);
  CHECK_ERROR(gradus::gradcheck(f, {{"x", x}}, {.elements = -1}),
              "gradcheck: the number of elements per tensor must be at least 0 (all), and is -1");
}
