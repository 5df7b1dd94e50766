// Hooks: functions that read or replace a gradient during backward().

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/recording.hpp>

#include <string>
#include <vector>

#include "autograd/helpers.hpp"

using gradus::grad;
using gradus::Tensor;
using gradus::tensor;

TEST_CASE("a hook sees the complete gradient, once per backward()", "[autograd][hooks]") {
  Tensor x = leaf(tensor({3.0}));
  Tensor y = x * 2.0;
  std::vector<double> at_x, at_y;
  x.add_hook([&](const Tensor& g) {
    at_x.push_back(g.item());
    return Tensor();
  });
  y.add_hook([&](const Tensor& g) {
    at_y.push_back(g.item());
    return Tensor();
  });
  const Tensor loss = y * 5.0 + y * 7.0 + x;
  loss.backward(true);
  loss.backward();
  CHECK(at_y == std::vector<double>{12, 12});
  CHECK(at_x == std::vector<double>{25, 25});  // one call per backward pass, with that pass's gradient
  CHECK(x.grad().item() == 50);
}

TEST_CASE("a leaf's hook runs as soon as its gradient is complete", "[autograd][hooks]") {
  Tensor early = leaf(tensor({3.0})), late = leaf(tensor({4.0}));
  std::vector<std::string> order;
  const auto note = [&](Tensor& tensor, const char* name) {
    tensor.add_hook([&order, name](const Tensor& g) {
      order.push_back(name + std::to_string(static_cast<int>(g.item())));
      return Tensor();
    });
  };
  note(early, "early ");
  note(late, "late ");
  Tensor x = early * 2.0;
  note(x, "x ");
  const Tensor y = x * late + late;  // the leaf `late` is first used after x was computed
  y.backward();
  CHECK(order == std::vector<std::string>{"late 7", "x 4", "early 8"});
  order.clear();
  early.backward();  // backward() of a leaf runs the leaf's hook, too
  CHECK(order == std::vector<std::string>{"early 1"});
}

TEST_CASE("a tensor that a hook returns replaces the gradient", "[autograd][hooks]") {
  Tensor x = leaf(tensor({3.0}));
  Tensor y = x * 2.0;
  y.retain_grad();
  y.add_hook([](const Tensor& g) { return g * 10.0; });
  x.add_hook([](const Tensor& g) { return g + 1.0; });
  x.add_hook([](const Tensor& g) { return g * 2.0; });  // hooks run in the order of adding
  y.backward();
  CHECK(y.grad().item() == 10);
  CHECK(x.grad().item() == (20 + 1) * 2);
}

TEST_CASE("grad() runs hooks as well", "[autograd][hooks]") {
  Tensor x = leaf(tensor({3.0}));
  x.add_hook([](const Tensor& g) { return -g; });
  CHECK(grad({x * 5.0}, {x})[0].item() == -5);
  const Tensor y = leaf(tensor({1.0}));  // y * 2 does not read the output x
  CHECK(grad({x, y * 2.0}, {x, y})[0].item() == -1);
  CHECK(grad({x, x * 5.0}, {x})[0].item() == -6);
}

TEST_CASE("a removed hook no longer runs, and a hook may remove itself", "[autograd][hooks]") {
  Tensor x = leaf(tensor({3.0}));
  int first = 0, second = 0;
  int number = -1;
  number = x.add_hook([&](const Tensor&) {
    ++first;
    x.remove_hook(number);
    return Tensor();
  });
  x.add_hook([&](const Tensor&) {
    ++second;
    return Tensor();
  });
  (x * 2.0).backward();
  (x * 2.0).backward();
  CHECK(first == 1);
  CHECK(second == 2);
  x.remove_hook(number);  // removing twice is not an error
  Tensor constant = tensor({1.0});
  constant.remove_hook(0);
}

TEST_CASE("a leaf keeps its hooks when its values are replaced", "[autograd][hooks]") {
  Tensor x = leaf(tensor({3.0}));
  x.add_hook([](const Tensor& g) { return g * 100.0; });
  x.replace(tensor({4.0}));
  (x * x).backward();
  CHECK(x.grad().item() == 800);
}

TEST_CASE("a hook cannot change a gradient's shape or dtype, or be added to a constant",
          "[autograd][hooks]") {
  Tensor x = leaf(tensor({3.0, 4.0}));
  const int number = x.add_hook([](const Tensor& g) { return sum(g); });
  CHECK_ERROR(sum(x).backward(),
              "backward: a hook on 'leaf' (2) returned a gradient () f32; it must be (2) f32, or undefined");
  CHECK_FALSE(x.grad().defined());
  x.remove_hook(number);
  x.add_hook([](const Tensor& g) { return g.to(gradus::Dtype::f64); });
  CHECK_ERROR(sum(x).backward(),
              "backward: a hook on 'leaf' (2) returned a gradient (2) f64; it must be (2) f32, or undefined");
  CHECK_ERROR(x.detach().add_hook([](const Tensor& g) { return g; }),
              "add_hook: this tensor (2) was not recorded, so it will have no gradient");
}

TEST_CASE("a hook cannot run its own tape, but may run another", "[autograd][hooks]") {
  Tensor x = leaf(tensor({3.0}));
  Tensor y = x * 2.0;
  const Tensor loss = y * y;
  const int number = y.add_hook([&](const Tensor&) {
    loss.backward(true);
    return Tensor();
  });
  CHECK_ERROR(loss.backward(true),
              "backward: 'mul' (1) is part of a running backward pass; a hook or a backward function cannot "
              "run its own tape");
  CHECK_FALSE(x.grad().defined());
  y.remove_hook(number);

  const Tensor other = leaf(tensor({5.0}));
  y.add_hook([&](const Tensor&) {
    const gradus::EnableGrad enable_grad;
    (other * other).backward();
    return Tensor();
  });
  loss.backward();
  CHECK(x.grad().item() == 2 * 6 * 2);
  CHECK(other.grad().item() == 10);
}

TEST_CASE("a gradient that a hook stores does not change later", "[autograd][hooks]") {
  Tensor x = leaf(tensor({2.0}));
  Tensor kept;
  x.add_hook([&](const Tensor& gradient) {
    if (!kept.defined()) kept = gradient;
    return Tensor();
  });
  (x * x).backward();
  (x * x).backward();
  CHECK(kept.item() == 4);
  CHECK(x.grad().item() == 8);
}

TEST_CASE("backward() detects a saved value that a hook changed", "[autograd][hooks]") {
  const Tensor x = leaf(tensor({2.0}));
  Tensor w = tensor({1.0});
  Tensor y = x * w;
  Tensor z = y * 1.0;
  z.add_hook([&](const Tensor&) {
    w.mutable_values<float>("the hook")[0] = 100;
    return Tensor();
  });
  CHECK_ERROR(z.backward(),
              "backward: 'mul' (1) needs a value (1) that 'the hook' has changed since; change a clone(), or "
              "change it "
              "after backward()");
  CHECK_FALSE(x.grad().defined());
}

TEST_CASE("a hook also runs on a gradient of zeros", "[autograd][hooks]") {
  Tensor x = leaf(tensor({2.0}));
  int calls = 0;
  x.add_hook([&](const Tensor& gradient) {
    ++calls;
    CHECK(gradient.item() == 0);
    return Tensor();
  });
  pow(x, 0).backward();
  CHECK(calls == 1);
  CHECK(x.grad().item() == 0);
}
