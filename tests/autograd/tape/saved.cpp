// Values saved for backward must not change between forward and backward; a change is an error.

#include <gradus/autograd/ops.hpp>

#include "autograd/helpers.hpp"

using gradus::Tensor;
using gradus::tensor;

TEST_CASE("changing a saved value in place is an error that names the operation and the writer",
          "[autograd][saved]") {
  const Tensor x = leaf(tensor({1.0, 2.0}));
  Tensor w = tensor({3.0, 4.0});
  const Tensor y = sum(x * w);
  w.mutable_values<float>("Sgd::step")[0] = 5;
  CHECK_ERROR(
      y.backward(),
      "backward: 'mul' (2) needs a value (2) that 'Sgd::step' has changed since; change a clone(), or "
      "change it after backward()");
}

TEST_CASE("a saved result must not change either", "[autograd][saved]") {
  const Tensor x = leaf(tensor({1.0, 2.0}));
  Tensor y = tanh(x);
  const Tensor loss = sum(y);
  y.mutable_values<float>()[1] = 0;
  CHECK_ERROR(
      loss.backward(),
      "backward: 'tanh' (2) needs a value (2) that 'mutable_values' has changed since; change a clone(), "
      "or change it after backward()");
}

TEST_CASE("a change through any alias of the values is detected", "[autograd][saved]") {
  const Tensor x = leaf(tensor({{1, 2}, {3, 4}}));
  const auto refuses_after = [&](auto change) {
    Tensor w = tensor({{5, 6}, {7, 8}});
    const Tensor y = sum(x * w);
    change(w);
    try {
      y.backward();
    } catch (const gradus::Error&) {
      return true;
    }
    return false;
  };
  CHECK(refuses_after([](Tensor& w) { w[1].mutable_values<float>()[0] = 0; }));
  CHECK(refuses_after([](Tensor& w) { w.slice(0, 1).mutable_values<float>()[0] = 0; }));
  CHECK(refuses_after([](Tensor& w) { w.reshape({4}).mutable_values<float>()[0] = 0; }));
  CHECK(refuses_after([](Tensor& w) { w.detach().mutable_values<float>()[0] = 0; }));
  CHECK_FALSE(refuses_after([](Tensor& w) { w.clone().mutable_values<float>()[0] = 0; }));
  CHECK_FALSE(refuses_after([](Tensor& w) { w.replace(tensor({{0, 0}, {0, 0}})); }));
}

TEST_CASE("changes before the operation or after its backward are allowed", "[autograd][saved]") {
  const Tensor x = leaf(tensor({1.0}));
  Tensor w = tensor({3.0});
  w.mutable_values<float>()[0] = 4;
  const Tensor y = x * w;
  y.backward();
  CHECK(x.grad().item() == 4);
  w.mutable_values<float>()[0] = 5;
  (x * w).backward();
  CHECK(x.grad().item() == 4 + 5);
}

TEST_CASE("a value that backward does not read may change", "[autograd][saved]") {
  Tensor x = leaf(tensor({1.0}));
  const Tensor w = tensor({3.0});
  const Tensor product = x * w;    // backward reads only w, for x's gradient
  const Tensor shifted = x + 1.0;  // backward reads no value
  x.mutable_values<float>()[0] = 2;
  product.backward();
  shifted.backward();
  CHECK(x.grad().item() == 3 + 1);
}
