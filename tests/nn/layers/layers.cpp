// Feed-forward layers.

#include <gradus/nn/activations.hpp>
#include <gradus/nn/bilinear.hpp>
#include <gradus/nn/dropout.hpp>
#include <gradus/nn/embedding.hpp>
#include <gradus/nn/gradcheck.hpp>
#include <gradus/nn/layer_norm.hpp>
#include <gradus/nn/linear.hpp>
#include <gradus/nn/maxout.hpp>
#include <gradus/nn/optim.hpp>
#include <gradus/nn/sequential.hpp>

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

TEST_CASE("Embedding returns the row of each token, for ids of any shape", "[nn][layers]") {
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

TEST_CASE("a seed gives the same parameters", "[nn][layers]") {
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

TEST_CASE("the padding id of an Embedding has a row of zeros, and no gradient", "[nn][layers]") {
  const nn::Embedding embedding(4, 2, {.padding = 1});
  CHECK(mismatch(embedding.weight[1], gradus::zeros({2})) == "");
  CHECK(mismatch(embedding.weight[0], gradus::zeros({2})) != "");
  sum(embedding.forward(integers({1, 3, 1, 3}))).backward();
  CHECK(mismatch(embedding.weight.grad(), tensor({{0, 0}, {0, 0}, {0, 0}, {2, 2}})) == "");

  overwrite(embedding.weight, 7);  // a changed padding row is used as it is, like in PyTorch
  CHECK(mismatch(embedding.forward(integers({1, 0})), tensor({{7, 7}, {7, 7}})) == "");
}

TEST_CASE("an Embedding copies the given rows", "[nn][layers]") {
  const Tensor rows = tensor({{0, 1}, {10, 11}, {20, 21}});
  const nn::Embedding embedding(rows), padded(rows, {.padding = 2});
  CHECK(mismatch(embedding.weight, rows) == "");
  CHECK(mismatch(padded.weight, tensor({{0, 1}, {10, 11}, {0, 0}})) == "");
  overwrite(embedding.weight, 7);
  CHECK(mismatch(rows, tensor({{0, 1}, {10, 11}, {20, 21}})) == "");
  CHECK(nn::Embedding(tensor({{1, 2}}, gradus::Dtype::f64)).weight.dtype() == gradus::Dtype::f64);
}

TEST_CASE("a frozen Embedding has a parameter that is not trained", "[nn][layers]") {
  const Tensor rows = tensor({{0, 1}, {10, 11}, {20, 21}});
  nn::Embedding embedding(rows, {.frozen = true});
  CHECK_FALSE(embedding.forward(integers({0, 2})).requires_grad());

  nn::Sequential model(std::make_unique<nn::Embedding>(rows, nn::EmbeddingOptions{.frozen = true}),
                       std::make_unique<nn::Linear>(2, 3));
  CHECK(model.parameters().size() == 3);
  nn::Adam adam(model.parameters());
  sum(model.forward(integers({0, 2}))).backward();
  const auto before = snapshot(model);
  adam.step();
  CHECK(snapshot(model)[0] == before[0]);
  CHECK(snapshot(model)[1] != before[1]);
  model.to(gradus::Dtype::f64);
  CHECK_FALSE(model.parameters()[0].requires_grad());
}

TEST_CASE("Embedding refuses invalid rows, and a padding id outside the vocabulary", "[nn][layers]") {
  CHECK_ERROR(nn::Embedding(tensor({1, 2})),
              "Embedding: the rows are f32 (2) and must be (vocabulary, size), f32 or f64");
  CHECK_ERROR(nn::Embedding(tensor({{1, 2}}, gradus::Dtype::i64)),
              "Embedding: the rows are i64 (1, 2) and must be (vocabulary, size), f32 or f64");
  CHECK_ERROR(nn::Embedding(4, 2, {.padding = 4}),
              "Embedding: the padding id 4 is outside [0, 4), the vocabulary");
  CHECK_ERROR(nn::Embedding(4, 2, {.padding = -1}),
              "Embedding: the padding id -1 is outside [0, 4), the vocabulary");
}

TEST_CASE("Bilinear is x₁ᵀ A x₂ + b, over the last axes", "[nn][layers]") {
  const nn::Bilinear bilinear(2, 3, 1);
  Tensor(bilinear.weight).replace(tensor({{{1, 2, 3}, {4, 5, 6}}}));
  Tensor(bilinear.bias).replace(tensor({0.5}));
  // (1, 10) A = (41, 52, 63)
  CHECK(mismatch(bilinear.forward(tensor({1, 10}), tensor({1, 0, -1})), tensor({-21.5})) == "");
  CHECK(bilinear.forward(gradus::zeros({4, 5, 2}), gradus::zeros({4, 5, 3})).shape() == Shape{4, 5, 1});
}

TEST_CASE("Bilinear draws from U(-1/√inputs₁, 1/√inputs₁)", "[nn][layers]") {
  gradus::seed(1);
  const nn::Bilinear bilinear(25, 4, 100);
  for (const Tensor& parameter : bilinear.parameters()) {
    const double largest = max(abs(parameter)).item();
    CHECK(largest <= 0.2);
    CHECK(largest > 0.19);
  }
}

TEST_CASE("Bilinear refuses inputs that do not fit", "[nn][layers]") {
  using gradus::zeros;
  const nn::Bilinear bilinear(2, 3, 4);
  CHECK_ERROR(bilinear.forward(zeros({5, 3}), zeros({5, 2})),
              "Bilinear: needs inputs (…, 2) and (…, 3) with equal leading axes, and got (5, 3) and (5, 2)");
  CHECK_ERROR(bilinear.forward(zeros({5, 2}), zeros({1, 3})),
              "Bilinear: needs inputs (…, 2) and (…, 3) with equal leading axes, and got (5, 2) and (1, 3)");
  CHECK_ERROR(bilinear.forward(zeros({}), zeros({3})),
              "Bilinear: needs inputs (…, 2) and (…, 3) with equal leading axes, and got () and (3)");
}

TEST_CASE("an untrained LayerNorm gives rows of mean 0 and variance 1", "[nn][layers]") {
  const Tensor x = gradus::normal({3, 4, 50}, 5, 3, gradus::default_generator());
  const nn::LayerNorm norm(50);
  const Tensor y = norm.forward(x);
  CHECK(mismatch(mean(y, -1), gradus::zeros({3, 4}), {1e-5, 0}) == "");
  CHECK(mismatch(variance(y, -1, false, 0), gradus::ones({3, 4}), {1e-5, 0}) == "");
  overwrite(norm.weight, 2);
  overwrite(norm.bias, 3);
  CHECK(mismatch(norm.forward(x), y * 2.0 + 3.0, {1e-5, 0}) == "");
  CHECK_ERROR(norm.forward(gradus::zeros({2, 4})),
              "layer_norm: the gain is (50) and must be (4) for the input (2, 4)");
}

TEST_CASE("Maxout takes the maximum of an output's adjacent pieces", "[nn][layers]") {
  const nn::Maxout maxout(1, 2, 3);
  Tensor(maxout.weight).replace(tensor({{1}, {-1}, {0}, {2}, {3}, {-5}}));
  Tensor(maxout.bias).replace(tensor({0, 0, 0.5, 0, 0, 0}));
  CHECK(mismatch(maxout.forward(tensor({{2}, {-2}, {0}})), tensor({{2, 6}, {2, 10}, {0.5, 0}})) == "");
  CHECK(nn::Maxout(3, 4).forward(gradus::zeros({2, 5, 3})).shape() == Shape{2, 5, 4});
  CHECK_ERROR(nn::Maxout(3, 4, 0), "Maxout: needs pieces of at least 1, and got 0");
  CHECK_ERROR(maxout.forward(gradus::zeros({2, 3})),
              "linear: the last axis of the input (2, 3) must be axis 1 of the weight (6, 1), 1");
}

TEST_CASE("Maxout has Linear's initial distribution", "[nn][layers]") {
  gradus::seed(1);
  const nn::Maxout maxout(25, 50);
  for (const Tensor& parameter : maxout.parameters()) {
    const double largest = max(abs(parameter)).item();
    CHECK(largest <= 0.2);
    CHECK(largest > 0.19);
  }
}

TEST_CASE("activations are the engine's functions", "[nn][layers]") {
  const Tensor x = tensor({-2, -0.5, 0, 0.5, 2});
  CHECK(mismatch(nn::Tanh().forward(x), tanh(x)) == "");
  CHECK(mismatch(nn::Sigmoid().forward(x), sigmoid(x)) == "");
  CHECK(mismatch(nn::ReLU().forward(x), relu(x)) == "");
  CHECK(mismatch(nn::Softplus().forward(x), softplus(x)) == "");
}

TEST_CASE("Sequential runs its layers in order, as children \"0\", \"1\", …", "[nn][layers]") {
  nn::Sequential net(std::make_unique<nn::Linear>(2, 3), std::make_unique<nn::Dropout>(0.5),
                     std::make_unique<nn::Linear>(3, 1, false));
  std::vector<std::string> names;
  for (const auto& [name, parameter] : net.named_parameters()) names.push_back(name);
  CHECK(names == std::vector<std::string>{"0.weight", "0.bias", "2.weight"});
  net.eval();
  const auto parameters = net.parameters();
  const Tensor x = tensor({{1, 2}, {3, 4}});
  CHECK(mismatch(net.forward(x), linear(linear(x, parameters[0], parameters[1]), parameters[2])) == "");
  CHECK_ERROR(net.forward(gradus::zeros({1, 5})),
              "linear: the last axis of the input (1, 5) must be axis 1 of the weight (3, 2), 2 [in 0]");
}

TEST_CASE("an empty Sequential returns its input, and a null layer is refused", "[nn][layers]") {
  const Tensor x = tensor({1, 2});
  CHECK(nn::Sequential().forward(x).is(x));
  CHECK_ERROR(nn::Sequential(std::make_unique<nn::Tanh>(), std::unique_ptr<nn::Linear>()),
              "Sequential: layer 1 is null");
}

TEST_CASE("layers have correct gradients", "[nn][layers][gradients]") {
  gradus::Generator generator(1);
  const Tensor x = random({2, 4, 3}, generator), other = random({2, 4, 5}, generator);
  nn::Bilinear bilinear(3, 5, 2), without(3, 5, 2, false);
  nn::LayerNorm norm(3);
  nn::Maxout maxout(3, 2, 4);
  nn::Embedding padded(5, 3, {.padding = 4});
  nn::Sequential net(
      std::make_unique<nn::Embedding>(gradus::ones({5, 3}), nn::EmbeddingOptions{.frozen = true}),
      std::make_unique<nn::Linear>(3, 2), std::make_unique<nn::Softplus>());
  check_gradients(nn::gradcheck(bilinear, x, other), 4);
  check_gradients(nn::gradcheck(without, x, other), 3);
  check_gradients(nn::gradcheck(norm, x), 3);
  check_gradients(nn::gradcheck(maxout, x), 3);
  check_gradients(nn::gradcheck(padded, integers({3, 1, 3, 0, 1})), 1);
  check_gradients(nn::gradcheck(net, integers({4, 1, 0})), 2);
}
