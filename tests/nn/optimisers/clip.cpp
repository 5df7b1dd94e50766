// Clipping: of all gradients by their joint norm, and of each element by its value.

#include <gradus/nn/clip.hpp>

#include <limits>

#include "golden.hpp"
#include "nn/helpers.hpp"

using gradus::Dtype;
using gradus::Tensor;
using gradus::tensor;
using gradus::nn::clip_grad_norm;
using gradus::nn::clip_grad_value;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double NaN = std::numeric_limits<double>::quiet_NaN();

Tensor with_gradient(const Tensor& gradient) {
  Tensor parameter = leaf(gradus::zeros(gradient.shape(), gradient.dtype()));
  parameter.set_grad(gradient);
  return parameter;
}

}  // namespace

TEST_CASE("clip_grad_norm uses one norm over all gradients and keeps their direction", "[nn][clip]") {
  const Tensor a = with_gradient(tensor({3, 0}, Dtype::f64)),
               b = with_gradient(tensor({{-4, 0}}, Dtype::f64)), none = leaf(tensor({7}, Dtype::f64));
  CHECK(clip_grad_norm({a, none, b}, 0.5) == 5);
  CHECK(mismatch(a.grad(), tensor({0.3, 0}, Dtype::f64), {1e-6, 0}) == "");
  CHECK(mismatch(b.grad(), tensor({{-0.4, 0}}, Dtype::f64), {1e-6, 0}) == "");
  CHECK_FALSE(none.grad().defined());
  CHECK(std::abs(clip_grad_norm({a, none, b}, 1) - 0.5) < 1e-6);
}

TEST_CASE("gradients below max_norm keep their bits", "[nn][clip]") {
  const Tensor gradient = tensor({0.1, -0.7});
  const Tensor x = with_gradient(gradient.clone());
  CHECK(std::abs(clip_grad_norm({x}, 1) - std::sqrt(0.5)) < 1e-7);
  CHECK(mismatch(x.grad(), gradient) == "");
}

TEST_CASE("f32 gradients are summed in double precision", "[nn][clip]") {
  const Tensor x = with_gradient(gradus::full({1 << 20}, 1e-3));
  CHECK(std::abs(clip_grad_norm({x}, 10) - 1.024) < 1e-7);
}

TEST_CASE("the norm of no gradients, or of zeros, is 0", "[nn][clip]") {
  CHECK(clip_grad_norm({}, 1) == 0);
  CHECK(clip_grad_norm({with_gradient(tensor({0, 0}))}, 1) == 0);
}

TEST_CASE("max_norm must be above 0", "[nn][clip]") {
  CHECK_ERROR(clip_grad_norm({}, 0), "clip_grad_norm: the largest norm must be above 0, and is 0");
  CHECK_ERROR(clip_grad_norm({}, -1), "clip_grad_norm: the largest norm must be above 0, and is -1");
  CHECK_ERROR(clip_grad_norm({}, NaN), "clip_grad_norm: the largest norm must be above 0, and is nan");
}

TEST_CASE("a norm that is not finite is returned, and the gradients keep their bits", "[nn][clip]") {
  const auto check = [](double bad) {
    const Tensor whole = with_gradient(tensor({3, 4})), broken = with_gradient(tensor({1, bad}));
    const double norm = clip_grad_norm({whole, broken}, 1);
    CHECK_FALSE(std::isfinite(norm));
    CHECK(std::isnan(norm) == std::isnan(bad));
    CHECK(mismatch(whole.grad(), tensor({3, 4})) == "");
    CHECK(broken.grad().to_vector<double>()[0] == 1);
  };
  check(NaN);
  check(infinity);
  check(-infinity);
}

TEST_CASE("clip_grad_value matches PyTorch", "[nn][clip][golden]") {
  const Golden golden("clip_value");
  for (const Precision& precision : precisions) {
    const Tensor x = with_gradient(golden["before"].to(precision.dtype));
    clip_grad_value({x, leaf(tensor({7}))}, 0.6);
    CHECK(mismatch(x.grad(), golden["after"], precision.values) == "");
  }
}

TEST_CASE("clip_grad_value clamps infinity to the limit, and keeps NaN", "[nn][clip]") {
  const Tensor x = with_gradient(tensor({infinity, -infinity, 0.25, NaN}));
  clip_grad_value({x}, 0.5);
  const auto clipped = x.grad().to_vector<double>();
  CHECK(std::vector(clipped.begin(), clipped.end() - 1) == std::vector<double>{0.5, -0.5, 0.25});
  CHECK(std::isnan(clipped[3]));
}

TEST_CASE("the limit of clip_grad_value must be above 0", "[nn][clip]") {
  CHECK_ERROR(clip_grad_value({}, 0), "clip_grad_value: the limit must be above 0, and is 0");
  CHECK_ERROR(clip_grad_value({}, NaN), "clip_grad_value: the limit must be above 0, and is nan");
}
