// gradcheck(): the gradients that it must accept, and those that it must reject.

#include <gradus/autograd/gradcheck.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/recording.hpp>
#include <gradus/autograd/scope.hpp>
#include <gradus/autograd/tape.hpp>

#include <cmath>
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

// x², with the gradient of element `at` multiplied by `factor`.
Tensor square(const Tensor& x, double factor, std::size_t at = 0) {
  return record("square", (x * x).detach(), {x}, {x}, [=](Gradients& g) {
    const auto values = g.saved(0).values<double>();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double right = 2 * values[i] * g.out().values<double>()[i];
      Tensor(g.in(0)).mutable_values<double>()[i] += i == at ? factor * right : right;
    }
  });
}

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
  CHECK(std::abs(entry.allowed / std::abs(10e-6 * incoming) - 1) < 1e-3);  // rtol · |gradient|, plus rounding
  const std::string text = printed(report);
  CHECK(text.starts_with("gradient check FAILED\n  WRONG input 0 (2, 3): worst at [1, 1], analytic "));
  CHECK(text.ends_with("; 1 of 6 elements is wrong\n"));
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
  // The gradient 0 is wrong here, so the message must report an error and not suggest other inputs.
  CHECK(printed(wrong).ends_with("; 1 of 1 elements is wrong\n"));
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
  CHECK(gradus::gradcheck(cube, inputs, {.step = 0.5, .rtol = 1e-12}).passed());  // exact for every step
  // A step of 50 is too inaccurate for the default tolerances, so gradcheck tries a smaller step.
  CHECK(gradus::gradcheck(fifth, inputs, {.step = 50}).entries[0].error > 1e-9);
  CHECK(gradus::gradcheck(fifth, inputs, {.step = 50, .rtol = 10}).entries[0].error > 1e7);
  CHECK(gradus::gradcheck(fifth, inputs, {.step = 50, .atol = 1e9}).entries[0].error > 1e7);
}

TEST_CASE("the incoming gradient is random", "[autograd][gradcheck]") {
  // The gradient of sum(softmax(x)) is 0. So with ones as incoming gradient, the check would accept a
  // backward function that returns twice the gradient.
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
  sum(w).backward();  // now w has an old gradient, which gradcheck must clear
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
  // a · b · c, with each gradient multiplied by factor(number of inputs that need a gradient).
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
    if (calls == 2) throw std::runtime_error("broken");  // now only b requires a gradient
    return w * b;
  };
  const NamedTensors leaves = {{"w", w}, {"b", b}};
  CHECK_THROWS_WITH(gradus::gradcheck(f, leaves), "broken");
  CHECK(calls == 2);  // the hook of w ran twice: for w and b together, then for w only
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
  CHECK(calls < 4 * (7 + 2) + 10);  // 4 per checked element: 7 of `x` and 2 of `few`
  CHECK(printed(report).find("ok    x (5, 20), 7 of 100 elements drawn: worst at ") != std::string::npos);
  CHECK(printed(report).find("ok    few (2): worst at ") != std::string::npos);
  CHECK(printed(check(1)) == printed(report));
  CHECK(printed(check(2)) != printed(report));
}

TEST_CASE("a check of drawn elements finds the wrong ones among them", "[autograd][gradcheck]") {
  const Tensor x = leaf(gradus::ones({100}, Dtype::f64));
  // detach(): the first half of x gets no gradient.
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
