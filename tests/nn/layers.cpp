// Linear and Embedding.

#include <gradus/nn/embedding.hpp>
#include <gradus/nn/linear.hpp>

#include "nn/helpers.hpp"

namespace nn = gradus::nn;
using gradus::Shape;
using gradus::Tensor;
using gradus::tensor;

TEST_CASE("Linear is x Wᵀ + b over the last axis", "[nn][layers]") {
  const nn::Linear linear(2, 3), without(2, 3, false);
  Tensor(linear.weight).replace(tensor({{1, 2}, {3, 4}, {5, 6}}));
  Tensor(linear.bias).replace(tensor({0.5, 0, -0.5}));
  Tensor(without.weight).replace(linear.weight.detach());
  CHECK(mismatch(linear.forward(tensor({{1, 10}})), tensor({{21.5, 43, 64.5}})) == "");
  CHECK(mismatch(without.forward(tensor({{1, 10}})), tensor({{21, 43, 65}})) == "");
  CHECK_FALSE(without.bias.defined());
  CHECK(without.parameters().size() == 1);
  CHECK(linear.forward(gradus::zeros({4, 5, 2})).shape() == Shape{4, 5, 3});
}

TEST_CASE("Linear draws from U(-1/√inputs, 1/√inputs)", "[nn][layers]") {
  gradus::seed(1);
  const nn::Linear linear(25, 400);
  const auto weights = linear.weight.to_vector<double>();
  const auto [low, high] = std::minmax_element(weights.begin(), weights.end());
  CHECK(*low >= -0.2);
  CHECK(*low < -0.199);
  CHECK(*high <= 0.2);
  CHECK(*high > 0.199);
  CHECK(std::abs(mean(linear.weight).item()) < 0.005);
  CHECK(std::abs(mean(linear.bias).item()) < 0.03);
}

TEST_CASE("Embedding gives the row of each token, for ids of any shape", "[nn][layers]") {
  const nn::Embedding embedding(4, 2);
  Tensor(embedding.weight).replace(tensor({{0, 1}, {10, 11}, {20, 21}, {30, 31}}));
  const Tensor vectors = embedding.forward(tensor(Ids{3, 0, 1, 3, 2, 2}, {3, 2}));
  CHECK(vectors.shape() == Shape{3, 2, 2});
  CHECK(vectors.to_vector<float>() == std::vector<float>{30, 31, 0, 1, 10, 11, 30, 31, 20, 21, 20, 21});
}

TEST_CASE("Embedding draws from N(0, deviation²)", "[nn][layers]") {
  gradus::seed(1);
  const auto check = [](const nn::Embedding& embedding, double deviation) {
    const Tensor w = embedding.weight / deviation;
    CHECK(std::abs(mean(w).item()) < 0.03);
    CHECK(std::abs(mean(w * w).item() - 1) < 0.05);
  };
  check(nn::Embedding(200, 50), 1);
  check(nn::Embedding(200, 50, 0.3), 0.3);
}

TEST_CASE("a seed makes the same parameters", "[nn][layers]") {
  const auto make = [](std::uint64_t seed) {
    gradus::seed(seed);
    return nn::Linear(3, 4).weight.to_vector<float>();
  };
  CHECK(make(5) == make(5));
  CHECK(make(5) != make(6));
}

TEST_CASE("Embedding names the first id outside its vocabulary", "[nn][layers]") {
  const nn::Embedding embedding(4, 2);
  CHECK_ERROR(embedding.forward(integers({1, 4, -1})),
              "embedding: index 4 at position 1 of (3) is outside [0, 4), the rows of (4, 2)");
  CHECK_ERROR(embedding.forward(tensor({1, 2})), "embedding: the index (2) must be i64, and is f32");
}
