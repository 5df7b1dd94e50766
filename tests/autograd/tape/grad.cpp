// grad(): returns gradients, and leaves the gradients stored in the tensors unchanged.

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/recording.hpp>
#include <gradus/autograd/tape.hpp>

#include "autograd/helpers.hpp"

using gradus::Dtype;
using gradus::grad;
using gradus::Gradients;
using gradus::Tensor;
using gradus::tensor;

using Floats = std::vector<float>;

TEST_CASE("grad() returns what backward() would accumulate, and accumulates nothing", "[autograd][grad]") {
  const Tensor x = leaf(tensor({1, 2})), w = leaf(tensor({3, 4}));
  const Tensor loss = sum(x * x * w);
  const auto found = grad({loss}, {x, w}, {}, true);
  CHECK(found.size() == 2);
  CHECK(found[0].to_vector<float>() == Floats{6, 16});
  CHECK(found[1].to_vector<float>() == Floats{1, 4});
  CHECK_FALSE(x.grad().defined());
  CHECK_FALSE(w.grad().defined());

  loss.backward();
  CHECK(x.grad().to_vector<float>() == found[0].to_vector<float>());
  CHECK(w.grad().to_vector<float>() == found[1].to_vector<float>());
}

TEST_CASE("grad() leaves an existing gradient unchanged", "[autograd][grad]") {
  Tensor x = leaf(tensor({1, 2}));
  x.set_grad(tensor({7, 7}));
  CHECK(grad({sum(x * 3.0)}, {x})[0].to_vector<float>() == Floats{3, 3});
  CHECK(x.grad().to_vector<float>() == Floats{7, 7});
}

TEST_CASE("grad() accepts intermediate results as inputs", "[autograd][grad]") {
  const Tensor x = leaf(tensor({3.0}));
  const Tensor square = x * x;
  const Tensor loss = square * square + square * 10.0;
  CHECK(grad({loss}, {square}, {}, true)[0].item() == 2 * 9 + 10);
  CHECK(grad({loss}, {square, x}, {}, true)[1].item() == (2 * 9 + 10) * 6);
  CHECK(grad({loss}, {loss}, {}, true)[0].item() == 1);
  CHECK_FALSE(square.grad().defined());
}

TEST_CASE("grad() sums over several outputs, each with its own incoming gradient", "[autograd][grad]") {
  const Tensor x = leaf(tensor({1, 2}));
  const Tensor a = x * 3.0, b = x * x;
  CHECK(grad({a, b}, {x}, {tensor({1, 10}), tensor({100, 1000})})[0].to_vector<float>() ==
        Floats{3 + 200, 30 + 4000});
  CHECK(grad({sum(x), sum(x) * 2.0}, {x})[0].to_vector<float>() == Floats{3, 3});
}

TEST_CASE("grad() accepts an input that is also an output, and an input given twice", "[autograd][grad]") {
  const Tensor x = leaf(tensor({2.0}));
  CHECK(grad({x}, {x})[0].item() == 1);
  const auto twice = grad({x * x}, {x, x});
  CHECK(twice[0].item() == 4);
  CHECK(twice[1].item() == 4);
}

TEST_CASE("grad() runs only the nodes between outputs and inputs", "[autograd][grad]") {
  const Tensor x = leaf(tensor({2.0})), other = leaf(tensor({5.0}));
  int runs = 0;
  const Tensor watched = record("watched", other.clone(), {other}, {}, [&](Gradients& g) {
    ++runs;
    g.add(0, g.out());
  });
  const Tensor product = x * watched;
  CHECK(grad({product}, {x}, {}, true)[0].item() == 5);
  CHECK(runs == 0);
  CHECK(grad({product}, {x, other}, {}, true)[1].item() == 2);
  CHECK(runs == 1);
}

TEST_CASE("grad() returns zeros for a gradient without contributions", "[autograd][grad]") {
  const Tensor table = leaf(gradus::ones({3, 2}));
  const Tensor none = embedding(table, tensor(std::vector<std::int64_t>{}, {0}));
  CHECK(grad({sum(none)}, {table})[0].to_vector<float>() == Floats(6, 0));
}

TEST_CASE("grad() frees the nodes it ran unless they are retained", "[autograd][grad]") {
  const Tensor x = leaf(tensor({2.0}));
  const Tensor y = x * x;
  grad({y}, {x}, {}, true);
  grad({y}, {x});
  CHECK_ERROR(grad({y}, {x}),
              "backward: the tape of 'mul' (1) was freed by an earlier backward(); call the first one with "
              "retain_graph = true, or compute the value again");
}

TEST_CASE("grad() rejects invalid arguments before it runs", "[autograd][grad]") {
  const Tensor x = leaf(tensor({1, 2})), other = leaf(tensor({3, 4}));
  const Tensor y = x * x;
  CHECK_ERROR(grad({sum(y)}, {x, other}),
              "grad: the outputs were not computed from input 1 (2); leave it out, or check that it is the "
              "tensor that was used");
  CHECK_ERROR(grad({sum(y)}, {x.detach()}), "grad: input 0 (2) does not require a gradient");
  CHECK_ERROR(grad({y}, {x}),
              "grad: without a gradient the tensor must be a scalar, and it is (2); reduce it with sum() or "
              "mean(), or pass the gradient of the loss with respect to it");
  CHECK_ERROR(grad({y}, {x}, {tensor({1.0})}),
              "grad: the gradient is (1) f32, but the tensor is (2) f32; they must be the same");
  CHECK_ERROR(grad({y, y}, {x}, {tensor({1, 1})}),
              "grad: 1 gradients were given for 2 outputs; give one each, or none");
  CHECK_ERROR(grad({x.detach()}, {x}, {tensor({1, 1})}),
              "grad: this tensor (2) was not recorded: no input has requires_grad, or NoGrad is on");
  CHECK(grad({sum(y)}, {x})[0].to_vector<float>() == Floats{2, 4});  // the error left the tape intact
}

TEST_CASE("grad() detects a freed path to an input that another path still reaches", "[autograd][grad]") {
  const Tensor x = leaf(tensor({3.0}));
  const Tensor trunk = exp(x);
  const Tensor first = trunk * 2.0, second = trunk * x;  // second reaches x directly as well
  first.backward();
  CHECK_ERROR(grad({second}, {x}),
              "backward: the tape of 'exp' (1) was freed by an earlier backward(); call the first one with "
              "retain_graph = true, or compute the value again");
  CHECK(grad({second}, {trunk})[0].item() == 3);  // stops at trunk, so it needs no freed node
}

TEST_CASE("the gradients of an input given twice are separate tensors", "[autograd][grad]") {
  const Tensor x = leaf(tensor({3.0}));
  auto found = grad({x * x}, {x, x});
  found[0].mutable_values<float>()[0] = 100;
  CHECK(found[1].item() == 6);
}

// ---- second derivatives ----

TEST_CASE("a second derivative is an error, not silently 0", "[autograd][grad]") {
  const Tensor x = leaf(tensor({2.0}));
  const Tensor slope = grad({x * x * x}, {x})[0];
  CHECK_ERROR(
      slope.backward(),
      "backward: this tensor (1) was computed from a gradient, and second derivatives are out of scope");
  CHECK_ERROR(
      (slope * slope).backward(),
      "backward: this tensor (1) was computed from a gradient, and second derivatives are out of scope");
  CHECK_ERROR(
      (x + slope * slope).backward(),  // a penalty on the gradient
      "backward: an input of 'add' (1) was computed from a gradient, and second derivatives are out of "
      "scope; to use the gradient as a constant, detach() it first");
  CHECK_FALSE(x.grad().defined());
  (x + (slope * slope).detach()).backward();
  CHECK(x.grad().item() == 1);
  CHECK_ERROR(
      (x * x.grad()).backward(),
      "backward: an input of 'mul' (1) was computed from a gradient, and second derivatives are out of "
      "scope; to use the gradient as a constant, detach() it first");
}

TEST_CASE("a gradient may be used in computations that backward() does not pass through",
          "[autograd][grad]") {
  Tensor w = leaf(tensor({2.0}));
  (w * w).backward();
  const Tensor moved = w - w.grad() * 0.25;
  CHECK(moved.item() == 1);
  w.replace(moved.detach());
  w.zero_grad();
  (w * w).backward();
  CHECK(w.grad().item() == 2);
}

TEST_CASE("differentiating a value that a hook computed from its gradient is an error", "[autograd][grad]") {
  Tensor x = leaf(tensor({1, 2}));
  Tensor penalty;
  x.add_hook([&](const Tensor& gradient) {
    const gradus::EnableGrad enable_grad;
    penalty = sum(gradient * x);
    return Tensor();
  });
  sum(x * x * x).backward();
  CHECK_ERROR(penalty.backward(),
              "backward: an input of 'mul' (2) was computed from a gradient, and second derivatives are out "
              "of scope; "
              "to use the gradient as a constant, detach() it first");
}

TEST_CASE("a leaf may be initialised with values computed from a gradient", "[autograd][grad]") {
  const Tensor w = leaf(tensor({2.0}));
  (w * w).backward();
  Tensor v = w.grad() * 0.5;
  v.set_requires_grad();
  (v * v).backward();
  CHECK(v.grad().item() == 4);
}

TEST_CASE("accumulation by backward() counts as an in-place change of the gradient", "[autograd][grad]") {
  const Tensor w = leaf(tensor({2.0}));
  (w * w).backward();
  const Tensor y = w * w.grad().detach();
  (w * w).backward();
  CHECK_ERROR(
      y.backward(),
      "backward: 'mul' (1) needs a value (1) that 'backward' has changed since; change a clone(), or change "
      "it after backward()");
}
