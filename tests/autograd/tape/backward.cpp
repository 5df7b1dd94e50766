// backward(): its gradients, its order of execution, and the memory that it frees.

#include <gradus/autograd/memory.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/recording.hpp>
#include <gradus/autograd/scope.hpp>
#include <gradus/autograd/tape.hpp>

#include <stdexcept>

#include "autograd/helpers.hpp"

using gradus::Dtype;
using gradus::Gradients;
using gradus::ones;
using gradus::Tensor;
using gradus::tensor;
using gradus::zeros;

TEST_CASE("each node runs once, after every node that uses its result", "[autograd][backward]") {
  const Tensor a = leaf(tensor({3.0}));
  const Tensor b = a + a;
  const Tensor c = b + b;
  c.backward();
  CHECK(a.grad().item() == 4);
}

TEST_CASE("a shared subexpression sums the gradients of its earlier and later uses", "[autograd][backward]") {
  const Tensor x = leaf(tensor({2.0}));
  const Tensor square = x * x;
  const Tensor cube = square * x;
  const Tensor sixth = cube * cube;
  (sixth + square * 10.0 + x).backward();  // x⁶ + 10x² + x
  CHECK(x.grad().item() == 6 * 32 + 20 * 2 + 1);
}

TEST_CASE("leaf gradients accumulate over backward() calls until they are cleared", "[autograd][backward]") {
  Tensor x = leaf(tensor({1.0, 2.0}));
  sum(x * 3.0).backward();
  sum(x * 4.0).backward();
  CHECK(x.grad().to_vector<float>() == std::vector<float>{7, 7});
  x.zero_grad();
  CHECK_FALSE(x.grad().defined());
  sum(x * 4.0).backward();
  CHECK(x.grad().to_vector<float>() == std::vector<float>{4, 4});
}

TEST_CASE("backward() of a non-scalar tensor takes its gradient as an argument", "[autograd][backward]") {
  const Tensor x = leaf(tensor({1.0, 2.0}));
  const Tensor incoming = tensor({10.0, 100.0});
  (x * x).backward(incoming);
  CHECK(x.grad().to_vector<float>() == std::vector<float>{20, 400});
  CHECK(incoming.to_vector<float>() == std::vector<float>{10, 100});

  const Tensor single = leaf(ones({1, 1}));
  (single * 5.0).backward();  // a tensor with one element counts as a scalar
  CHECK(single.grad().item() == 5);
}

TEST_CASE("backward() works on a leaf itself", "[autograd][backward]") {
  const Tensor x = leaf(tensor({2.0}));
  x.backward();
  x.backward();
  CHECK(x.grad().item() == 2);
}

TEST_CASE("backward() rejects a missing or mismatched gradient, and tensors that were not recorded",
          "[autograd][backward]") {
  const Tensor x = leaf(tensor({1.0, 2.0}));
  CHECK_ERROR(
      (x * x).backward(),
      "backward: without a gradient the tensor must be a scalar, and it is (2); reduce it with sum() or "
      "mean(), or pass the gradient of the loss with respect to it");
  const std::string unrecorded =
      "backward: this tensor () was not recorded: no input has requires_grad, or NoGrad is on";
  CHECK_ERROR(sum(x.detach()).backward(), unrecorded);
  CHECK_ERROR((x * x).backward(ones({1})),
              "backward: the gradient is (1) f32, but the tensor is (2) f32; they must be the same");
  CHECK_ERROR((x * x).backward(ones({2}, Dtype::f64)),
              "backward: the gradient is (2) f64, but the tensor is (2) f32; they must be the same");
  CHECK_FALSE(x.grad().defined());

  const gradus::NoGrad no_grad;
  CHECK_ERROR(sum(x).backward(), unrecorded);
}

TEST_CASE("backward() frees the tape unless it is retained", "[autograd][backward]") {
  const Tensor x = leaf(tensor({3.0}));
  const Tensor y = x * x;
  y.backward(true);
  y.backward(true);
  y.backward();
  CHECK(x.grad().item() == 3 * 6);
  CHECK_ERROR(y.backward(),
              "backward: the tape of 'mul' (1) was freed by an earlier backward(); call the first one with "
              "retain_graph = true, or compute the value again");
}

TEST_CASE("backward() detects a partly freed tape before it changes any gradient", "[autograd][backward]") {
  const Tensor x = leaf(tensor({3.0}));
  const Tensor shared = [&] {
    const gradus::Scope scope("encoder");
    return exp(x);
  }();
  const Tensor first = shared * 2.0;
  const Tensor second = shared * 3.0 + x;
  first.backward();
  const double before = x.grad().item();
  CHECK_ERROR(second.backward(),
              "backward: the tape of 'exp' (1) in encoder was freed by an earlier backward(); call the first "
              "one with retain_graph = true, or compute the value again");
  CHECK(x.grad().item() == before);
}

TEST_CASE("results keep their gradient only after retain_grad()", "[autograd][backward]") {
  Tensor x = leaf(tensor({3.0}));
  const Tensor forgotten = x * 2.0;
  Tensor kept = forgotten * 5.0;
  kept.retain_grad();
  (kept * kept).backward();
  CHECK_FALSE(forgotten.grad().defined());
  CHECK(kept.grad().item() == 60);
  CHECK(x.grad().item() == 600);
  CHECK_ERROR(x.detach().retain_grad(),
              "retain_grad: this tensor (1) was not recorded, so it will have no gradient");
}

TEST_CASE("a retained gradient is not propagated again by the next backward()", "[autograd][backward]") {
  const Tensor x = leaf(tensor({3.0}));
  Tensor y = x * 2.0;
  y.retain_grad();
  const Tensor z = y * 5.0;
  z.backward(true);
  z.backward(true);
  CHECK(x.grad().item() == 20);
}

TEST_CASE("a tensor that requires no gradient gets none", "[autograd][backward]") {
  const Tensor x = leaf(tensor({3.0}));
  const Tensor constant = tensor({4.0});
  (x * constant).backward();
  CHECK(x.grad().item() == 4);
  CHECK_FALSE(constant.grad().defined());
}

TEST_CASE("detach() shares the values without the tape", "[autograd][backward]") {
  const Tensor x = leaf(tensor({3.0}));
  const Tensor square = x * x;
  const Tensor cut = square.detach();
  CHECK_FALSE(cut.requires_grad());
  CHECK(cut.values<float>().data() == square.values<float>().data());
  (square + cut * x).backward();  // d(x² + 9x)/dx
  CHECK(x.grad().item() == 6 + 9);
}

TEST_CASE("an exception inside backward() leaves no gradients of intermediate results",
          "[autograd][backward]") {
  const Tensor x = leaf(tensor({3.0}));
  bool fails = true;
  const Tensor square = x * x;
  Tensor kept = square * 1.0;
  kept.retain_grad();
  const Tensor fragile = record("fragile", kept.clone(), {kept}, {}, [&](Gradients& g) {
    if (fails) throw std::runtime_error("broken");
    g.add(0, g.out());
  });
  const Tensor loss = fragile * 7.0 + square;
  CHECK_THROWS_WITH(loss.backward(true), "broken");
  CHECK_FALSE(square.grad().defined());
  CHECK_FALSE(fragile.grad().defined());
  CHECK_FALSE(x.grad().defined());
  CHECK(gradus::is_recording());

  fails = false;
  loss.backward();
  CHECK(x.grad().item() == 7 * 6 + 6);
}

TEST_CASE("backward() frees the nodes it has run, even while the result is alive", "[autograd][backward]") {
  const Tensor x = leaf(tensor({0.5}));
  const auto nodes = gradus::memory_stats().live_nodes;
  const auto buffers = gradus::memory_stats().live_buffers;
  Tensor y = x;
  for (int i = 0; i < 10; ++i) y = tanh(y);
  CHECK(gradus::memory_stats().live_nodes == nodes + 10);
  CHECK(gradus::memory_stats().live_buffers == buffers + 10);
  y.backward();
  CHECK(gradus::memory_stats().live_nodes == nodes + 1);
  CHECK(gradus::memory_stats().live_buffers == buffers + 2);  // the buffers of y and of x's gradient
}

TEST_CASE("the tape keeps only the values that backward reads", "[autograd][backward]") {
  const Tensor x = leaf(zeros({100}));
  const auto before = gradus::memory_stats().live_buffers;
  const auto kept_by = [&](auto operation) {
    const Tensor result = operation(x * 2.0);  // after this, only the tape can hold the product
    return gradus::memory_stats().live_buffers - before - 1 - 1;  // minus the result and the constant 2
  };
  CHECK(kept_by([](const Tensor& t) { return -t; }) == 0);
  CHECK(kept_by([](const Tensor& t) { return t + t; }) == 0);
  CHECK(kept_by([](const Tensor& t) { return tanh(t); }) == 0);
  CHECK(kept_by([](const Tensor& t) { return softmax(t); }) == 0);
  CHECK(kept_by([](const Tensor& t) { return log(t); }) == 1);
  CHECK(kept_by([](const Tensor& t) { return t * t; }) == 1);
}

TEST_CASE("retained gradients of results accumulate like those of leaves", "[autograd][backward]") {
  Tensor x = leaf(tensor({3.0}));
  Tensor y = x * 2.0;
  y.retain_grad();
  const Tensor loss = y * 5.0;
  loss.backward(true);
  loss.backward();
  CHECK(y.grad().item() == 10);
  y.zero_grad();
  CHECK_FALSE(y.grad().defined());
}

TEST_CASE("when backward() throws, no gradient has changed", "[autograd][backward]") {
  Tensor x = leaf(tensor({3.0}));
  x.set_grad(tensor({1.0}));
  Tensor kept = x * 1.0;
  kept.retain_grad();
  const Tensor broken =
      record("broken", x.clone(), {x}, {}, [](Gradients&) -> void { throw std::runtime_error("broken"); });
  CHECK_THROWS_WITH((broken + x + kept).backward(), "broken");
  CHECK(x.grad().item() == 1);
  CHECK_FALSE(kept.grad().defined());
}

TEST_CASE("every saved value is checked before the first backward function runs", "[autograd][backward]") {
  const Tensor x = leaf(tensor({3.0}));
  Tensor w = tensor({2.0});
  int runs = 0;
  const Tensor early = x * w;
  const Tensor late = record("late", early.clone(), {early}, {}, [&](Gradients& g) {
    ++runs;
    g.add(0, g.out());
  });
  w.mutable_values<float>("Sgd::step")[0] = 5;
  CHECK_THROWS_AS(late.backward(), gradus::Error);
  CHECK(runs == 0);
}

TEST_CASE("an error inside a backward function names the module of its operation", "[autograd][backward]") {
  const Tensor x = leaf(tensor({3.0}));
  const Tensor y = [&] {
    const gradus::Scope scope("decoder");
    return record("wrong", x.clone(), {x, tensor({1.0})}, {}, [](Gradients& g) { g.in(1); });
  }();
  CHECK_ERROR(y.backward(),
              "wrong: its backward function adds to the gradient of input 1, which needs none; check "
              "wants(1) first [in decoder]");
  CHECK(gradus::current_scope()->text().empty());
}

TEST_CASE("a leaf that is switched off and on again keeps its tape and its hooks", "[autograd][backward]") {
  Tensor x = leaf(tensor({1, 2}));
  int calls = 0;
  const int hook = x.add_hook([&](const Tensor&) {
    ++calls;
    return Tensor();
  });
  sum(x).backward();
  CHECK(calls == 1);
  const Tensor before = sum(x * x), also_before = sum(x * x);
  x.set_requires_grad(false);
  CHECK_FALSE(x.grad().defined());
  CHECK_FALSE((x * 2.0).requires_grad());
  x.set_requires_grad();
  CHECK_FALSE(x.grad().defined());
  before.backward();
  CHECK(x.grad().to_vector<float>() == std::vector<float>{2, 4});
  CHECK(calls == 2);
  CHECK(gradus::grad({also_before}, {x})[0].to_vector<float>() == std::vector<float>{2, 4});

  x.set_requires_grad(false);
  x.remove_hook(hook);
  x.set_requires_grad();
  sum(x * 3.0).backward();
  CHECK(x.grad().to_vector<float>() == std::vector<float>{3, 3});
  CHECK(calls == 3);
}

TEST_CASE("a leaf has no gradient from a backward() while it was switched off", "[autograd][backward]") {
  Tensor x = leaf(tensor({1, 2}));
  const Tensor w = leaf(tensor({3, 4}));
  const Tensor y = sum(x * w);
  x.set_requires_grad(false);
  y.backward();
  CHECK(w.grad().to_vector<float>() == std::vector<float>{1, 2});
  x.set_requires_grad();
  CHECK_FALSE(x.grad().defined());
}

TEST_CASE("replace() of a leaf that is switched off gives it a new shape", "[autograd][backward]") {
  Tensor x = leaf(tensor({1, 2}));
  const Tensor y = sum(x * x);
  x.set_requires_grad(false);
  x.replace(tensor({3, 4, 5}, Dtype::f64));
  x.set_requires_grad();
  y.backward();
  CHECK_FALSE(x.grad().defined());
  sum(x).backward();
  CHECK(x.grad().to_vector<double>() == std::vector<double>{1, 1, 1});
}
