// The gradient check of a module must find wrong gradients, and restore the module afterwards.

#include <gradus/nn/dropout.hpp>
#include <gradus/nn/gradcheck.hpp>
#include <gradus/nn/linear.hpp>

#include "nn/helpers.hpp"

namespace nn = gradus::nn;
using gradus::Dtype;
using gradus::Tensor;

namespace {

// y = factor · x. The backward function passes on only the fraction `passed` of the factor's gradient.
class Scale : public nn::Module {
 public:
  explicit Scale(double passed)
      : factor(add_parameter("factor", gradus::tensor({1.5, -0.3}))), passed_(passed) {}
  Tensor forward(const Tensor& x) const { return x * (factor * passed_ + factor.detach() * (1 - passed_)); }
  const Tensor factor;

 private:
  double passed_;
};

// Dropout, then a linear layer. Throws at a chosen call.
class Fickle : public nn::Module {
 public:
  Fickle() : dropout(0.5), linear(3, 2) {
    add_module("dropout", dropout);
    add_module("linear", linear);
  }
  Tensor forward(const Tensor& x) const {
    if (calls_left-- == 0) throw gradus::Error("enough");
    return linear.forward(dropout.forward(x));
  }

  nn::Dropout dropout;
  nn::Linear linear;
  mutable int calls_left = -1;  // counts down; throws at 0; negative: never throws
};

const Tensor x = gradus::tensor({{0.5, -1, 2}, {1, 0.25, -3}});

}  // namespace

TEST_CASE("a wrong gradient of a parameter is found and named", "[nn][gradcheck]") {
  const Tensor input = gradus::tensor({0.5, 2});
  Scale right(1), wrong(0.5);
  check_gradients(nn::gradcheck(right, input), 2);

  const gradus::GradcheckReport report = nn::gradcheck(wrong, input);
  CHECK_FALSE(report.passed());
  REQUIRE(report.entries.size() == 2);
  CHECK(report.entries[0].name == "factor");
  CHECK(report.entries[0].wrong == 2);
  CHECK(report.entries[1].name == "input 0");
  CHECK(report.entries[1].wrong == 0);
}

TEST_CASE("a gradient check restores the module's precision, bits and mode, and clears its gradients",
          "[nn][gradcheck]") {
  Fickle module;
  const Dtype dtype = GENERATE(Dtype::f32, Dtype::f64);
  const bool training = GENERATE(true, false);
  module.to(dtype);
  module.train(training);
  sum(module.linear.forward(x.to(dtype))).backward();
  const auto before = snapshot(module);

  SECTION("after a check") { CHECK(nn::gradcheck(module, x).passed()); }
  SECTION("after an error at the first call") {
    module.calls_left = 0;
    CHECK_ERROR(nn::gradcheck(module, x), "enough");
  }

  CHECK(snapshot(module) == before);
  CHECK(module.is_training() == training);
  CHECK(module.dropout.is_training() == training);
  for (const Tensor& parameter : module.parameters()) {
    CHECK(parameter.dtype() == dtype);
    CHECK(parameter.requires_grad());
    CHECK_FALSE(parameter.grad().defined());
  }
}

TEST_CASE("an error during a gradient check restores the parameter", "[nn][gradcheck]") {
  Fickle module;
  module.to(GENERATE(Dtype::f32, Dtype::f64));
  const auto before = snapshot(module);
  module.calls_left = 3;
  CHECK_ERROR(nn::gradcheck(module, x), "enough");
  CHECK(snapshot(module) == before);
}

TEST_CASE("a gradient check restores a child's own mode", "[nn][gradcheck]") {
  Fickle module;
  module.dropout.eval();
  CHECK(nn::gradcheck(module, x).passed());
  CHECK(module.is_training());
  CHECK_FALSE(module.dropout.is_training());
}

TEST_CASE("a gradient check does not change the inputs", "[nn][gradcheck]") {
  nn::Linear linear(3, 2);
  const Tensor input = leaf(x);
  CHECK(nn::gradcheck(linear, input).passed());
  CHECK(mismatch(input, x) == "");
  CHECK_FALSE(input.grad().defined());
}
