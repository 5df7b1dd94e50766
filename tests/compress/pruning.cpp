// Pruning by magnitude prunes the smallest weights, and training keeps them at 0.

#include <gradus/compress/pruning.hpp>
#include <gradus/nn/adam.hpp>
#include <gradus/nn/linear.hpp>
#include <gradus/nn/sequential.hpp>

#include <memory>
#include <vector>

#include "nn/helpers.hpp"

namespace compress = gradus::compress;
namespace nn = gradus::nn;
using Catch::Approx;
using compress::GradualPruning;
using compress::Pruning;
using compress::PruningScope;
using gradus::Tensor;
using gradus::tensor;

namespace {

struct Two : nn::Module {
  Two() { bias.set_requires_grad(); }
  Tensor a = add_parameter("a", tensor({{-4, 1}, {3, -2}}));
  Tensor bias = add_parameter("bias", tensor({0.1, 0.2}));
  Tensor b = add_parameter("b", tensor({{0.5, -0.25}, {8, 0.125}}));
};

std::vector<float> values(const Tensor& x) { return x.to_vector<float>(); }

}  // namespace

TEST_CASE("the smallest weights of all matrices, or of each, are set to 0", "[compress]") {
  Two two;
  SECTION("global") {
    Pruning pruning(two);
    CHECK(pruning.sparsity() == 0);
    pruning.prune(0.5);
    CHECK(values(two.a) == std::vector<float>{-4, 0, 3, -2});
    CHECK(values(two.b) == std::vector<float>{0, 0, 8, 0});
    CHECK(pruning.sparsity() == 0.5);
    pruning.prune(0.625);
    CHECK(values(two.a) == std::vector<float>{-4, 0, 3, 0});
    pruning.prune(1);
    CHECK(values(two.b) == std::vector<float>{0, 0, 0, 0});
  }
  SECTION("per matrix") {
    Pruning pruning(two, PruningScope::per_matrix);
    pruning.prune(0.5);
    CHECK(values(two.a) == std::vector<float>{-4, 0, 3, 0});
    CHECK(values(two.b) == std::vector<float>{0.5, 0, 8, 0});
  }
  CHECK(values(two.bias) == std::vector<float>{0.1F, 0.2F});
}

TEST_CASE("of equal weights, as many are pruned as the sparsity says", "[compress]") {
  nn::Linear layer(5, 2);
  const Tensor same = gradus::full({2, 5}, -1);
  std::ranges::copy(same.values<float>(), Tensor(layer.weight).mutable_values<float>().begin());
  Pruning pruning(layer);
  pruning.prune(0.3);
  CHECK(values(layer.weight) == std::vector<float>{0, 0, 0, -1, -1, -1, -1, -1, -1, -1});
}

TEST_CASE("a shared matrix is pruned once", "[compress]") {
  struct Shared : nn::Module {
    Tensor a = add_parameter("a", tensor({{1, 2}, {3, 4}}));
    Tensor b = add_parameter("b", a);
  } shared;
  Pruning pruning(shared);
  pruning.prune(0.25);
  CHECK(values(shared.a) == std::vector<float>{0, 2, 3, 4});
}

TEST_CASE("pruned weights get no gradient and stay 0, but without hold() momentum moves them", "[compress]") {
  for (const bool holds : {true, false}) {
    gradus::seed(3);
    nn::Linear layer(4, 3);
    nn::Adam adam(layer.parameters(), {.learning_rate = 0.1});
    const Tensor x = gradus::tensor({{1, -2, 0.5, 3}, {-1, 1, 2, 0.25}});
    const auto step = [&] {
      adam.zero_grad();
      sum(layer.forward(x) * layer.forward(x)).backward();
      adam.step();
    };
    step();  // afterwards, Adam's momentum is not zero
    Pruning pruning(layer);
    pruning.prune(0.5);
    const std::vector<float> before = values(layer.weight);
    REQUIRE(std::ranges::count(before, 0.0F) == 6);
    for (int i = 0; i < 3; ++i) {
      step();
      if (holds) pruning.hold();
    }
    const std::vector<float> after = values(layer.weight), gradient = values(layer.weight.grad());
    bool moved = false;
    for (std::size_t i = 0; i < before.size(); ++i) {
      CHECK((gradient[i] == 0) == (before[i] == 0));
      if (before[i] == 0) moved = moved || after[i] != 0;
      if (before[i] != 0) CHECK(after[i] != before[i]);
    }
    CHECK(moved != holds);
  }
}

TEST_CASE("a Pruning leaves the gradients when it ends, and does not hook frozen matrices", "[compress]") {
  nn::Linear layer(2, 2, false);
  const Tensor x = gradus::tensor({{1, 1}});
  {
    Pruning pruning(layer);
    pruning.prune(1);
    sum(layer.forward(x)).backward();
    CHECK(values(layer.weight.grad()) == std::vector<float>{0, 0, 0, 0});
  }
  layer.zero_grad();
  sum(layer.forward(x)).backward();
  CHECK(values(layer.weight.grad()) == std::vector<float>{1, 1, 1, 1});
  layer.freeze();
  Pruning frozen(layer);
  frozen.prune(0.5);
  CHECK(frozen.sparsity() == 0.5);
}

TEST_CASE("a sparsity out of range and weights that are not finite are refused", "[compress]") {
  Two two;
  Pruning pruning(two);
  CHECK_THROWS_WITH(pruning.prune(1.5), "prune: the sparsity must be in [0, 1], and is 1.5");
  CHECK_THROWS_WITH(pruning.prune(-0.1), "prune: the sparsity must be in [0, 1], and is -0.1");
  two.b.mutable_values<float>()[1] = std::nanf("");
  CHECK_THROWS_WITH(pruning.prune(0.5), "prune: 'b' has the value nan; use finite weights");
  CHECK(values(two.a) == std::vector<float>{-4, 1, 3, -2});
}

TEST_CASE("the gradual schedule is Zhu and Gupta's cubic", "[compress]") {
  const GradualPruning schedule{.sparsity = 0.8, .from = 10, .until = 50};
  CHECK(schedule.at(0) == 0);
  CHECK(schedule.at(10) == 0);
  CHECK(schedule.at(20) == Approx(0.8 * (1 - 0.75 * 0.75 * 0.75)));
  CHECK(schedule.at(30) == Approx(0.7));
  CHECK(schedule.at(50) == 0.8);
  CHECK(schedule.at(1000) == 0.8);
  const GradualPruning coarse{.sparsity = 0.8, .from = 10, .until = 50, .every = 20};
  CHECK(coarse.at(29) == 0);
  CHECK(coarse.at(30) == Approx(0.7));
  CHECK(coarse.at(49) == Approx(0.7));
  CHECK_THROWS_WITH(
      (GradualPruning{.sparsity = 0.8, .from = 5, .until = 5}.at(1)),
      "GradualPruning: needs 0 <= from < until and every >= 1, and got from 5, until 5 and every 1");
  CHECK_THROWS_WITH((GradualPruning{.sparsity = 2, .from = 0, .until = 5}.at(1)),
                    "GradualPruning: the sparsity must be in [0, 1], and is 2");
}
