// Properties of Adam that the comparison with PyTorch does not cover, such as skipped parameters and changed
// settings.

#include <gradus/nn/adam.hpp>
#include <gradus/nn/linear.hpp>

#include <limits>

#include "nn/helpers.hpp"

namespace nn = gradus::nn;
using gradus::Dtype;
using gradus::Tensor;
using gradus::tensor;

TEST_CASE("the first step moves each element by the learning rate, whatever its gradient", "[nn][adam]") {
  Tensor x = leaf(tensor({1, 1, 1}, Dtype::f64));
  x.set_grad(tensor({100, -1e-3, 0}, Dtype::f64));
  nn::Adam({x}, {.learning_rate = 0.25}).step();
  CHECK(mismatch(x, tensor({0.75, 1.25, 1}, Dtype::f64), {1e-5, 0}) == "");
}

TEST_CASE("Adam skips a parameter without a gradient, and counts steps per parameter", "[nn][adam]") {
  Tensor idle = leaf(tensor({5}, Dtype::f64)), late = leaf(tensor({1}, Dtype::f64)),
         x = leaf(tensor({1}, Dtype::f64));
  nn::Adam adam({idle, late, x}, {.learning_rate = 0.5});
  x.set_grad(tensor({2}, Dtype::f64));
  adam.step();
  late.set_grad(tensor({2}, Dtype::f64));
  const double after_one = x.item();
  x.zero_grad();
  adam.step();
  CHECK(idle.item() == 5);
  CHECK(late.item() == after_one);
  CHECK(x.item() == after_one);
}

TEST_CASE("a step uses the current learning rate", "[nn][adam]") {
  Tensor x = leaf(tensor({1}, Dtype::f64));
  nn::Adam adam({x});
  CHECK(adam.learning_rate() == 1e-3);
  adam.set_learning_rate(0);
  CHECK(adam.learning_rate() == 0);
  x.set_grad(tensor({3}, Dtype::f64));
  adam.step();
  CHECK(x.item() == 1);
}

TEST_CASE("Adam sees a module's parameters through to()", "[nn][adam]") {
  nn::Linear linear(2, 3);
  nn::Adam adam(linear.parameters(), {.learning_rate = 0.5});
  linear.to(Dtype::f64);
  const auto before = snapshot(linear);
  sum(linear.forward(gradus::ones({4, 2}, Dtype::f64))).backward();
  adam.step();
  CHECK(snapshot(linear) != before);
  adam.zero_grad();
  CHECK_FALSE(linear.weight.grad().defined());
}

TEST_CASE("Adam refuses a parameter that has changed since its first step", "[nn][adam]") {
  Tensor x = leaf(tensor({1, 2, 3}));
  nn::Adam adam({x}, {.learning_rate = 0.5});
  x.set_grad(tensor({1, 1, 1}));
  adam.step();
  const auto refuses = [&](const Tensor& values, const std::string& now) {
    x.replace(values);
    x.set_grad(values);
    CHECK_ERROR(adam.step(), "Adam: parameter 0 was (3) f32 and is now " + now +
                                 "; make a new optimiser after changing parameters");
    CHECK(mismatch(x, values) == "");
  };
  refuses(tensor({1, 2, 3}, Dtype::f64), "(3) f64");
  refuses(tensor({1, 2}), "(2) f32");
}

TEST_CASE("Adam refuses options outside their ranges", "[nn][adam]") {
  const std::string at_least = " must be finite and at least 0, and is ",
                    decays = " must be in [0, 1), and is ";
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_ERROR(nn::Adam({}, {.learning_rate = -0.5}), "Adam: the learning rate" + at_least + "-0.5");
  CHECK_ERROR(nn::Adam({}, {.learning_rate = nan}), "Adam: the learning rate" + at_least + "nan");
  CHECK_ERROR(nn::Adam({}, {.beta1 = 1}), "Adam: beta1" + decays + "1");
  CHECK_ERROR(nn::Adam({}, {.beta2 = -0.1}), "Adam: beta2" + decays + "-0.1");
  CHECK_ERROR(nn::Adam({}, {.epsilon = -1}), "Adam: epsilon" + at_least + "-1");
  CHECK_ERROR(nn::Adam({}, {.weight_decay = -1}), "Adam: weight decay" + at_least + "-1");
}
