// The gradient checker itself: what it must let pass, and what it must not.

#include <gradus/autograd/gradcheck.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/runtime.hpp>
#include <gradus/autograd/tape.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string>

#include "helpers.hpp"

using gradus::Dtype;
using gradus::Gradients;
using gradus::NamedTensors;
using gradus::Tensor;
using gradus::tensor;

using Tensors = std::vector<Tensor>;
using Indices = std::vector<std::int64_t>;

namespace {

// x², whose gradient is multiplied by `factor` at one element.
Tensor square(const Tensor& x, double factor, std::size_t at = 0) {
  return record("square", (x * x).detach(), {x}, {x}, [=](Gradients& g) {
    const auto values = g.saved(0).values<double>();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double right = 2 * values[i] * g.out().values<double>()[i];
      Tensor(g.in(0)).mutable_values<double>()[i] += i == at ? factor * right : right;
    }
  });
}

// A function of one number and the gradient that it is given, which need not be right.
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

TEST_CASE("right gradients pass", "[autograd][gradcheck]") {
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

TEST_CASE("a wrong sign, a dropped term, a factor and NaN fail", "[autograd][gradcheck]") {
  CHECK(passes(1));
  CHECK(passes(1 + 1e-8));
  CHECK_FALSE(passes(-1));
  CHECK_FALSE(passes(0));
  CHECK_FALSE(passes(2));
  CHECK_FALSE(passes(1 + 1e-5));
  CHECK_FALSE(passes(std::numeric_limits<double>::quiet_NaN()));
  CHECK_FALSE(passes(std::numeric_limits<double>::infinity()));
}

TEST_CASE("the worst element is named, with both its gradients", "[autograd][gradcheck]") {
  const Tensor x = tensor({{1, 2, 3}, {4, 5, 6}});
  gradus::Generator generator(gradus::GradcheckOptions{}.seed);
  const double incoming = normal({2, 3}, 0, 1, generator, Dtype::f64)[1][1].item();

  const auto report = gradus::gradcheck([](const Tensors& t) { return square(t[0], -1, 4); }, {x});
  const auto& entry = report.entries.at(0);
  CHECK_FALSE(report);
  CHECK(entry.wrong == 1);
  CHECK(entry.worst == Indices{1, 1});
  CHECK(difference({entry.analytic, entry.numeric, entry.error, entry.allowed * 1e6},
                   {-10 * incoming, 10 * incoming, 20 * std::abs(incoming), 1e-3 + 10 * std::abs(incoming)},
                   1e-9) == "");
  const std::string text = printed(report);
  CHECK(text.starts_with("gradient check FAILED\n  WRONG input 0 (2, 3): worst at [1, 1], analytic "));
  CHECK(text.ends_with("; 1 of 6 elements are wrong\n"));
}

TEST_CASE("NaN is the worst of all", "[autograd][gradcheck]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto report = gradus::gradcheck(
      [=](const Tensors& t) { return square(square(t[0], nan, 2), 1e6, 0); }, {tensor({1, 2, 3})});
  CHECK(report.entries.at(0).worst == Indices{2});
  CHECK(std::isnan(report.entries.at(0).error));
  CHECK(report.entries.at(0).wrong == 2);
}

TEST_CASE("a gradient that is 0 everywhere is pointed out", "[autograd][gradcheck]") {
  const auto report =
      gradus::gradcheck([](const Tensors& x) { return x[0] * 0.0 + x[1]; }, {tensor({1, 2}), tensor({3})});
  CHECK(report);
  CHECK(report.entries.at(0).all_zero);
  CHECK_FALSE(report.entries.at(1).all_zero);
  CHECK(printed(report).find(
            "input 0 (2): worst at [0], analytic 0, numeric 0, off by 0 (allowed 1e-09); every "
            "gradient is 0, so this checked nothing: start from other values\n") != std::string::npos);

  const auto wrong = gradus::gradcheck([](const Tensors& x) { return square(x[0], 0); }, {tensor({2})});
  CHECK(wrong.entries.at(0).all_zero);
  CHECK(printed(wrong).ends_with("; 1 of 1 elements are wrong\n"));  // which 0 is, so it was checked
}

TEST_CASE("an input that the result does not depend on has gradient 0", "[autograd][gradcheck]") {
  const auto report =
      gradus::gradcheck([](const Tensors& x) { return x[1] * 2.0; }, {tensor({1, 2}), tensor({3})});
  CHECK(report);
  CHECK(report.entries.at(0).all_zero);
}

TEST_CASE("integers are passed on and not checked, empty inputs have nothing to check",
          "[autograd][gradcheck]") {
  const auto report = gradus::gradcheck(
      [](const Tensors& x) {
        return gradus::concat({embedding(x[0], x[1]), x[2]}, 0);
      },
      {tensor({{1, 2}, {3, 4}}), gradus::arange(2), gradus::zeros({0, 2})});
  CHECK(report);
  REQUIRE(report.entries.size() == 2);
  CHECK(report.entries[1].name == "input 2");
  CHECK(report.entries[1].worst.empty());
}

TEST_CASE("step and tolerances are the caller's", "[autograd][gradcheck]") {
  const auto cube = [](const Tensors& x) { return x[0] * x[0] * x[0]; };
  const auto fifth = [&](const Tensors& x) { return cube(x) * x[0] * x[0]; };
  const Tensors inputs = {tensor({1, 2})};
  CHECK(gradus::gradcheck(cube, inputs, {.step = 0.5, .rtol = 1e-12}).passed());  // exact for any step
  CHECK_FALSE(gradus::gradcheck(fifth, inputs, {.step = 50}).passed());           // h/100 is too large too
  CHECK(gradus::gradcheck(fifth, inputs, {.step = 50, .rtol = 10}).passed());
  CHECK(gradus::gradcheck(fifth, inputs, {.step = 50, .atol = 1e8}).passed());
}

TEST_CASE("the gradient that comes in is random", "[autograd][gradcheck]") {
  // Under a sum, softmax's gradient is 0, and any multiple of it would pass.
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

TEST_CASE("inputs are copied, whatever their dtype, and stay as they are", "[autograd][gradcheck]") {
  const Tensor x = leaf(tensor({1, 2}));
  CHECK(gradus::gradcheck([](const Tensors& t) { return t[0] * t[0]; }, {x}).passed());
  CHECK(x.to_vector<float>() == std::vector<float>{1, 2});
  CHECK(x.dtype() == Dtype::f32);
  CHECK_FALSE(x.grad().defined());
}

TEST_CASE("leaves that the function holds are checked by name, and put back", "[autograd][gradcheck]") {
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

TEST_CASE("leaves are put back also when the function throws", "[autograd][gradcheck]") {
  const Tensor w = leaf(tensor({1, 2}, Dtype::f64));
  int calls = 0;
  const auto fragile = [&] {
    if (++calls == 5) throw std::runtime_error("broken");
    return w * w;
  };
  CHECK_THROWS_WITH(gradus::gradcheck(fragile, NamedTensors{{"w", w}}), "broken");
  CHECK(w.to_vector<double>() == std::vector<double>{1, 2});
}

TEST_CASE("a right gradient passes where a smaller step confirms it", "[autograd][gradcheck]") {
  const Planted logarithm{[](double x) { return std::log(x); }, [](double x) { return 1 / x; }};
  // Too curved for h, so much more, and with x − h and x − 2h outside of the domain.
  for (const double x : {0.01, 0.0025, 0.0015, 0.0007}) {
    CAPTURE(x);
    const auto entry = logarithm.check({x});
    CHECK(entry.passed());
    CHECK(entry.judged() == 1);
    CHECK(std::abs(entry.numeric / entry.analytic - 1) < 1e-6);
  }
}

TEST_CASE("a wrong gradient of a smooth function is blamed, however curved", "[autograd][gradcheck]") {
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
  CHECK(flipped.check({0.0015}).wrong == 1);  // x − 2h is outside of the domain
}

TEST_CASE("a gradient at a kink is not blamed, wherever in reach the kink is", "[autograd][gradcheck]") {
  const Planted ramp{[](double x) { return std::max(x, 0.0); }, [](double x) { return x > 0 ? 1.0 : 0.0; }};
  const Planted absolute{[](double x) { return std::abs(x); }, [](double x) { return x > 0 ? 1.0 : -1.0; }};
  for (const double x :
       {0.0, 1e-12, 1e-9, 1e-7, 1e-6, 5e-6, 1.5e-5, 3e-5, 6e-5, 1e-4, 1.5e-4, 6e-4, 1.5e-3}) {
    CAPTURE(x);
    CHECK(ramp.check({x, -x}).wrong == 0);
    CHECK(absolute.check({x, -x}).wrong == 0);
    CHECK(absolute.check({x, -x}).not_smooth == (x < 5e-5 ? 2 : 0));  // beyond, h/100 is free of it
  }
}

TEST_CASE("a kink is no excuse for an error that it cannot explain", "[autograd][gradcheck]") {
  const Planted slight{[](double x) { return x + 1e-3 * std::abs(x); }, [](double) { return -1.0; }};
  CHECK(slight.check({0}).wrong == 1);
}

TEST_CASE("the first element that is not smooth is named, with what differences say of it",
          "[autograd][gradcheck]") {
  const auto report =
      gradus::gradcheck([](const Tensors& x) { return relu(x[0]); }, {tensor({{0.5, -2, 0}, {1, 0, 0.25}})});
  CHECK(report);
  CHECK(report.entries.at(0).not_smooth == 2);
  CHECK(report.entries.at(0).first_kink.index == Indices{0, 2});
  const std::string line = printed(report);
  CHECK(line.starts_with("gradient check passed\n  ok    input 0 (2, 3): worst at ["));
  CHECK(
      line.ends_with("); not smooth at [0, 2] (slopes 0 and 1.12353 on its sides): estimates 0.561767 and "
                     "0.561767; 2 of 6 elements\n"));
}

TEST_CASE("an entry that is smooth nowhere has checked nothing, and fails", "[autograd][gradcheck]") {
  const auto kinks =
      gradus::gradcheck([](const Tensors& x) { return relu(x[0]) * x[1]; }, {tensor({0, 0}), tensor({2, 3})});
  CHECK_FALSE(kinks);
  CHECK(kinks.entries.at(0).wrong == 0);
  CHECK(printed(kinks) ==
        "gradient check FAILED\n"
        "  KINKS input 0 (2): not smooth at [0] (slopes 0 and -1.02251 on its sides): estimates -0.511254 "
        "and -0.511254; 2 of 2 elements, so this checked nothing: start from other values\n"
        "  ok    input 1 (2): worst at [0], analytic 0, numeric 0, off by 0 (allowed 1e-09); every gradient "
        "is 0, so this checked nothing: start from other values\n");

  const auto poles = gradus::gradcheck([](const Tensors& x) { return log(x[0]); }, {tensor({1.0, 0.0})});
  CHECK_FALSE(poles);  // log 0 is in every difference
  CHECK(poles.entries.at(0).wrong == 0);
  CHECK(poles.entries.at(0).not_smooth == 2);
}

TEST_CASE("a kink hides no wrong element beside it", "[autograd][gradcheck]") {
  const Planted f{[](double x) { return std::abs(x); }, [](double) { return 1.0; }};
  const auto entry = f.check({0, 1, -1});
  CHECK_FALSE(entry.passed());
  CHECK(entry.wrong == 1);
  CHECK(entry.worst == Indices{2});
  CHECK(printed(gradus::GradcheckReport{{entry}}) ==
        "gradient check FAILED\n"
        "  WRONG input 0 (3): worst at [2], analytic 1.12353485, numeric -1.12353485, off by 2.2 (allowed "
        "1.1e-06); 1 of 3 elements are wrong; not smooth at [0] (slopes 0.511254 and -0.511254 on its "
        "sides): estimates 0 and 0; 1 of 3 elements\n");
}

TEST_CASE("what cannot be checked is refused", "[autograd][gradcheck]") {
  const Tensor single = leaf(tensor({1, 2})), twofold = leaf(tensor({1, 2}, Dtype::f64));
  CHECK_ERROR(
      gradus::gradcheck([&] { return single * single; }, NamedTensors{{"decoder.W", single}}),
      "gradcheck: 'decoder.W' (2) is f32: in less than double the differences drown in rounding; convert "
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
                                {tensor(std::vector<float>{1}, {})}, {.seed = 1}),
              "gradcheck: two calls of the function gave 0 and -0.511254; it must compute the same each time "
              "(call eval() on a module with dropout)");
}
