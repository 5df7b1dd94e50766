// A custom operation, recorded through the public interface.

#include <gradus/autograd/gradcheck.hpp>
#include <gradus/autograd/memory.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/tape.hpp>

#include <string>
#include <vector>

#include "autograd/helpers.hpp"

using gradus::Dtype;
using gradus::Gradients;
using gradus::Tensor;
using gradus::tensor;

namespace {

// Σ_i a_i b_i² in f64; an undefined b counts as 1.
Tensor weighted_squares(const Tensor& a, const Tensor& b) {
  const auto n = static_cast<std::size_t>(a.numel());
  Tensor y = gradus::zeros({}, Dtype::f64);
  for (std::size_t i = 0; i < n; ++i) {
    const double root = b.defined() ? b.values<double>()[i] : 1;
    y.mutable_values<double>()[0] += a.values<double>()[i] * root * root;
  }
  return record("weighted_squares", y, {a, b}, {a, b}, [n, weighted = b.defined()](Gradients& g) {
    const double d = g.out().item();
    for (std::size_t i = 0; i < n; ++i) {
      const double root = weighted ? g.saved(1).values<double>()[i] : 1;
      if (g.wants(0)) Tensor(g.in(0)).mutable_values<double>()[i] += d * root * root;
      if (g.wants(1)) {
        Tensor(g.in(1)).mutable_values<double>()[i] += d * 2 * g.saved(0).values<double>()[i] * root;
      }
    }
  });
}

}  // namespace

TEST_CASE("a custom operation passes gradcheck and works like any other", "[autograd][custom]") {
  const Tensor a = tensor({1, 2, 3}, Dtype::f64), b = tensor({4, -5, 6}, Dtype::f64);
  CHECK(gradus::gradcheck([](const auto& x) { return weighted_squares(x[0], x[1]); }, {a, b}).passed());
  CHECK(
      gradus::gradcheck([](const auto& x) { return weighted_squares(tanh(x[0] * x[1]), x[1]) * 2.0; }, {a, b})
          .passed());

  const Tensor x = leaf(b);
  weighted_squares(a, x).backward();
  CHECK(x.grad().to_vector<double>() == std::vector<double>{8, -20, 36});
}

TEST_CASE("an undefined input needs no gradient", "[autograd][custom]") {
  const Tensor a = leaf(tensor({1, 2, 3}, Dtype::f64));
  weighted_squares(a, Tensor()).backward();
  CHECK(a.grad().to_vector<double>() == std::vector<double>{1, 1, 1});
}

TEST_CASE("a backward function sees its operation's name and which gradients are wanted",
          "[autograd][custom]") {
  const Tensor wanted = leaf(tensor({1.0})), unwanted = tensor({1.0});
  std::vector<std::string> seen;
  const Tensor y = record("spy", tensor({2.0}), {wanted, unwanted, Tensor()}, {}, [&](Gradients& g) {
    seen.push_back(g.operation());
    for (const int i : {0, 1, 2}) seen.push_back(g.wants(i) ? "wanted" : "unwanted");
    seen.push_back(printed(g.out()));
    seen.push_back(printed(g.in(0)));
  });
  y.backward(tensor({7.0}));
  CHECK(seen ==
        std::vector<std::string>{"spy", "wanted", "unwanted", "unwanted", "f32 (1) [7]", "f32 (1) [0]"});
}

TEST_CASE("a backward function that can never run is destroyed with its captures", "[autograd][custom]") {
  const Tensor held = tensor({1.0});
  const auto before = gradus::memory_stats().live_nodes;
  const Tensor y = record("unused", tensor({2.0}), {held}, {}, [held](Gradients&) { FAIL("not recorded"); });
  CHECK_FALSE(y.requires_grad());
  CHECK(gradus::memory_stats().live_nodes == before);
}

TEST_CASE("errors in record() and in backward functions name the operation", "[autograd][custom]") {
  const Tensor x = leaf(tensor({1.0, 2.0}));
  CHECK_ERROR(record("identity", x, {x}, {}, [](Gradients&) {}),
              "identity: its result (2) is already recorded (is it an input?); return a clone(), or detach() "
              "to share the values");
  const auto broken = [&](gradus::Backward backward) {
    sum(record("broken", x.clone(), {x}, {x}, std::move(backward))).backward();
  };
  CHECK_ERROR(broken([](Gradients& g) { g.wants(1); }),
              "broken: its backward function asks for input 1, and it was recorded with 1");
  CHECK_ERROR(broken([](Gradients& g) { g.saved(-1); }),
              "broken: its backward function asks for saved value -1, and 1 were saved");
}

TEST_CASE("add() sums the gradient over broadcast axes", "[autograd][custom]") {
  const Tensor row = leaf(tensor({1.0, 2.0}));
  const Tensor y =
      record("repeat", expand(row.detach(), {3, 2}), {row}, {}, [](Gradients& g) { g.add(0, g.out()); });
  sum(y).backward();
  CHECK(row.grad().to_vector<float>() == std::vector<float>{3, 3});
}
