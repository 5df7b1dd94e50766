// Clipping scales all gradients together.

#include <gradus/nn/optim.hpp>

#include <limits>

#include "nn/helpers.hpp"

using gradus::Dtype;
using gradus::Tensor;
using gradus::tensor;
using gradus::nn::clip_grad_norm;

namespace {

Tensor with_gradient(const Tensor& gradient) {
  Tensor parameter = leaf(gradus::zeros(gradient.shape(), gradient.dtype()));
  parameter.set_grad(gradient);
  return parameter;
}

}  // namespace

TEST_CASE("there is one norm over all gradients, whose direction is kept", "[nn][clip]") {
  const Tensor a = with_gradient(tensor({3, 0}, Dtype::f64)),
               b = with_gradient(tensor({{-4, 0}}, Dtype::f64)), none = leaf(tensor({7}, Dtype::f64));
  CHECK(clip_grad_norm({a, none, b}, 0.5) == 5);
  CHECK(mismatch(a.grad(), tensor({0.3, 0}, Dtype::f64), {1e-6, 0}) == "");
  CHECK(mismatch(b.grad(), tensor({{-0.4, 0}}, Dtype::f64), {1e-6, 0}) == "");
  CHECK_FALSE(none.grad().defined());
  CHECK(std::abs(clip_grad_norm({a, none, b}, 1) - 0.5) < 1e-6);
}

TEST_CASE("gradients below the largest norm keep their bits", "[nn][clip]") {
  const Tensor gradient = tensor({0.1, -0.7});
  const Tensor x = with_gradient(gradient.clone());
  CHECK(std::abs(clip_grad_norm({x}, 1) - std::sqrt(0.5)) < 1e-7);
  CHECK(mismatch(x.grad(), gradient) == "");
}

TEST_CASE("many small f32 gradients add up in double", "[nn][clip]") {
  const Tensor x = with_gradient(gradus::full({1 << 20}, 1e-3));
  CHECK(std::abs(clip_grad_norm({x}, 10) - 1.024) < 1e-7);
}

TEST_CASE("nothing to clip has the norm 0", "[nn][clip]") {
  CHECK(clip_grad_norm({}, 1) == 0);
  CHECK(clip_grad_norm({with_gradient(tensor({0, 0}))}, 1) == 0);
}

TEST_CASE("the largest norm must be above 0", "[nn][clip]") {
  CHECK_ERROR(clip_grad_norm({}, 0), "clip_grad_norm: the largest norm must be above 0, and is 0");
  CHECK_ERROR(clip_grad_norm({}, -1), "clip_grad_norm: the largest norm must be above 0, and is -1");
  CHECK_ERROR(clip_grad_norm({}, std::numeric_limits<double>::quiet_NaN()),
              "clip_grad_norm: the largest norm must be above 0, and is nan");
}
