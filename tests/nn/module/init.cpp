// Initial values: the papers' bounds and deviations, orthogonality, and the initialisation of Bahdanau et al.

#include <gradus/nn/additive_attention.hpp>
#include <gradus/nn/embedding.hpp>
#include <gradus/nn/gru.hpp>
#include <gradus/nn/init.hpp>
#include <gradus/nn/init_bahdanau.hpp>
#include <gradus/nn/linear.hpp>
#include <gradus/nn/shared_additive_attention.hpp>

#include <functional>

#include "nn/helpers.hpp"

namespace nn = gradus::nn;
using gradus::Dtype;
using gradus::Shape;
using gradus::Tensor;
using nn::Fan;
using nn::Nonlinearity;

namespace {

struct Moments {
  double mean, deviation, largest;
};

Moments moments(const Tensor& x) {
  double sum = 0, squares = 0, largest = 0;
  for (const double value : x.to_vector<double>()) {
    sum += value;
    squares += value * value;
    largest = std::max(largest, std::abs(value));
  }
  const auto n = static_cast<double>(x.numel());
  return {sum / n, std::sqrt(squares / n - sum / n * (sum / n)), largest};
}

// Checks that x has the mean 0 and this standard deviation σ, up to five standard errors. For n numbers with
// the kurtosis κ, the standard error of the mean is σ / √n, and that of the deviation is σ √((κ − 1) / 4n).
void check_moments(const Tensor& x, double deviation, double kurtosis) {
  const auto n = static_cast<double>(x.numel());
  const Moments found = moments(x);
  CHECK(std::abs(found.mean) < 5 * deviation / std::sqrt(n));
  CHECK(std::abs(found.deviation - deviation) < 5 * deviation * std::sqrt((kurtosis - 1) / (4 * n)));
}

void check_normal(const Tensor& x, double deviation) {
  check_moments(x, deviation, 3);
  CHECK(moments(x).largest > 3 * deviation);
}

void check_uniform(const Tensor& x, double bound) {
  check_moments(x, bound / std::sqrt(3.0), 1.8);
  const double largest = moments(x).largest;
  CHECK(largest <= bound * (1 + 1e-7));
  CHECK(largest > 0.99 * bound);
}

// The rows of q / gain (or its columns, if these are fewer) must be orthonormal, to within 1e-12.
void check_orthogonal(const Tensor& q, double gain = 1) {
  const Tensor flat = q.size(0) <= q.size(1) ? q : transpose(q, 0, 1);
  const std::int64_t k = flat.size(0);
  std::vector<double> identity(static_cast<std::size_t>(k * k));
  for (std::int64_t i = 0; i < k; ++i) identity[static_cast<std::size_t>(i * (k + 1))] = gain * gain;
  CHECK(mismatch(matmul(flat, transpose(flat, 0, 1)), gradus::tensor(identity, {k, k}), {1e-12, 0}) == "");
}

Tensor named(const nn::Module& module, const std::string& name) {
  for (const auto& [path, parameter] : module.named_parameters()) {
    if (path == name) return parameter;
  }
  return {};
}

const Shape wide{60, 120};

}  // namespace

TEST_CASE("fans() gives a weight's inputs and outputs", "[nn][init]") {
  CHECK(nn::fans({3, 5}).in == 5);
  CHECK(nn::fans({3, 5}).out == 3);
  CHECK(nn::fans({3, 5, 2, 4}).in == 40);
  CHECK(nn::fans({3, 5, 2, 4}).out == 24);
  CHECK_ERROR(nn::fans({3}), "fans: a weight must have at least two axes, (O, I, …), and is (3)");
  CHECK_ERROR(nn::xavier_normal({}), "fans: a weight must have at least two axes, (O, I, …), and is ()");
}

TEST_CASE("gains match PyTorch's table", "[nn][init]") {
  CHECK(nn::gain(Nonlinearity::linear) == 1);
  CHECK(nn::gain(Nonlinearity::sigmoid) == 1);
  CHECK(nn::gain(Nonlinearity::tanh) == 5.0 / 3);
  CHECK(nn::gain(Nonlinearity::relu) == std::sqrt(2.0));
  CHECK(nn::gain(Nonlinearity::leaky_relu) == std::sqrt(2 / 1.0001));
  CHECK(nn::gain(Nonlinearity::leaky_relu, 1) == 1);
  CHECK(nn::gain(Nonlinearity::selu) == 0.75);
}

TEST_CASE("uniform_fan_in draws from U(-1/sqrt(n), 1/sqrt(n))", "[nn][init]") {
  gradus::seed(1);
  check_uniform(nn::uniform_fan_in(wide, 16), 0.25);
  CHECK(nn::uniform_fan_in({2, 0}, 0).shape() == Shape{2, 0});
}

TEST_CASE("Xavier initialisation has the paper's bounds and deviations", "[nn][init]") {
  gradus::seed(1);
  check_uniform(nn::xavier_uniform(wide), std::sqrt(6.0 / 180));
  check_uniform(nn::xavier_uniform(wide, 2), 2 * std::sqrt(6.0 / 180));
  check_normal(nn::xavier_normal(wide), std::sqrt(2.0 / 180));
  check_normal(nn::xavier_normal(wide, 2), 2 * std::sqrt(2.0 / 180));
}

TEST_CASE("Kaiming initialisation has the paper's bounds and deviations", "[nn][init]") {
  gradus::seed(1);
  check_uniform(nn::kaiming_uniform(wide), std::sqrt(6.0 / 120));
  check_uniform(nn::kaiming_uniform(wide, {.fan = Fan::out, .gain = 1}), std::sqrt(3.0 / 60));
  check_normal(nn::kaiming_normal(wide), std::sqrt(2.0 / 120));
  check_normal(nn::kaiming_normal(wide, {.fan = Fan::out, .gain = 1}), std::sqrt(1.0 / 60));
}

TEST_CASE("Kaiming initialisation preserves the size of activations through ten ReLU layers", "[nn][init]") {
  gradus::seed(3);
  Tensor x = gradus::normal({200, 100}, 0, 1, gradus::default_generator());
  for (int layer = 0; layer < 10; ++layer) {
    x = matmul(relu(x), transpose(nn::kaiming_normal({100, 100}), 0, 1));
  }
  const double mean_square = mean(x * x).item();  // 1 expected; with the gain 1 it would be 2⁻¹⁰
  CHECK(mean_square > 0.3);
  CHECK(mean_square < 3);
}

TEST_CASE("orthogonal() gives orthonormal rows or columns, wide, tall and square, with a gain",
          "[nn][init]") {
  gradus::seed(5);
  for (const Shape& shape : {Shape{7, 7}, Shape{3, 11}, Shape{11, 3}, Shape{1, 4}, Shape{100, 100}}) {
    INFO(shape);
    const Tensor q = nn::orthogonal(shape, 1, Dtype::f64);
    CHECK(q.shape() == shape);
    check_orthogonal(q);
    check_orthogonal(nn::orthogonal(shape, 0.5, Dtype::f64), 0.5);
  }
  CHECK(nn::orthogonal({0, 3}).shape() == Shape{0, 3});
}

// Detects a QR decomposition without the sign correction: each diagonal element of Q would prefer one sign.
TEST_CASE("orthogonal matrices are uniform: no sign is preferred", "[nn][init]") {
  gradus::seed(7);
  constexpr int draws = 4000;
  std::vector<double> first, last;
  double determinants = 0;
  for (int draw = 0; draw < draws; ++draw) {
    const auto q = nn::orthogonal({2, 2}, 1, Dtype::f64).to_vector<double>();
    first.push_back(q[0]);
    last.push_back(q[3]);
    determinants += q[0] * q[3] - q[1] * q[2];  // 1 or -1
  }
  // The cosine of a uniform angle has variance 1/2 and kurtosis 3/2.
  check_moments(gradus::tensor(first), std::sqrt(0.5), 1.5);
  check_moments(gradus::tensor(last), std::sqrt(0.5), 1.5);
  CHECK(std::abs(determinants) / draws < 5 / std::sqrt(draws));
}

TEST_CASE("each block of orthogonal_blocks() is orthogonal", "[nn][init]") {
  gradus::seed(9);
  const Tensor q = nn::orthogonal_blocks({12, 4}, 2, Dtype::f64);
  CHECK(q.shape() == Shape{12, 4});
  for (std::int64_t gate = 0; gate < 3; ++gate) check_orthogonal(q.slice(4 * gate, 4 * gate + 4), 2);
  CHECK(mismatch(q.slice(0, 4), q.slice(4, 8)) != "");
}

TEST_CASE("orthogonal functions refuse shapes that do not fit", "[nn][init]") {
  CHECK_ERROR(nn::orthogonal({4}), "orthogonal: needs a shape of two axes, and got (4)");
  CHECK_ERROR(nn::orthogonal({2, 2, 2}), "orthogonal: needs a shape of two axes, and got (2, 2, 2)");
  const std::string blocks = "orthogonal_blocks: needs a shape (G·H, H), stacked square blocks, and got ";
  for (const Shape& shape : {Shape{5, 2}, Shape{4}, Shape{3, 0}, Shape{0, 3}}) {
    CHECK_ERROR(nn::orthogonal_blocks(shape), blocks + shape.text());
  }
}

TEST_CASE("a seed gives the same bits, and f32 values are the rounded f64 values", "[nn][init]") {
  const std::vector<std::function<Tensor(Dtype)>> initialisers{
      [](Dtype dtype) { return nn::xavier_uniform({4, 3}, 1, dtype); },
      [](Dtype dtype) { return nn::xavier_normal({4, 3}, 1, dtype); },
      [](Dtype dtype) { return nn::kaiming_uniform({4, 3}, {.dtype = dtype}); },
      [](Dtype dtype) { return nn::kaiming_normal({4, 3}, {.dtype = dtype}); },
      [](Dtype dtype) { return nn::orthogonal({4, 3}, 1, dtype); },
      [](Dtype dtype) { return nn::orthogonal_blocks({6, 3}, 1, dtype); }};
  for (const auto& initialiser : initialisers) {
    const auto seeded = [&](std::uint64_t seed, Dtype dtype) {
      gradus::seed(seed);
      return initialiser(dtype);
    };
    const Tensor values = seeded(1, Dtype::f64);
    CHECK(mismatch(seeded(1, Dtype::f64), values) == "");
    CHECK(mismatch(seeded(1, Dtype::f32), values.to(Dtype::f32)) == "");
    CHECK(mismatch(seeded(2, Dtype::f64), values) != "");
  }
}

TEST_CASE("init_bahdanau chooses each parameter's distribution by name", "[nn][init]") {
  struct Model : nn::Module {
    Model() : norm(add_parameter("gain", gradus::ones({3}))) {
      add_module("embedding", embedding);
      add_module("gru", gru);
      add_module("attention", attention);
      add_module("shared", shared);
      add_module("readout", readout);
    }
    nn::Embedding embedding{100, 60};
    nn::GRU gru{60, 20, {.bidirectional = true}};
    nn::AdditiveAttention attention{70, 90, 80};
    nn::SharedAdditiveAttention shared{70, 140, 80};
    nn::Linear readout{80, 90};
    const Tensor norm;
  };
  Model model;
  model.to(Dtype::f64);
  gradus::seed(11);
  nn::init_bahdanau(model);
  const auto at = [&](const std::string& name) { return named(model, name); };

  for (const char* name : {"gru.weight_hh_l0", "gru.weight_hh_l0_reverse"}) {
    for (std::int64_t gate = 0; gate < 3; ++gate) check_orthogonal(at(name).slice(20 * gate, 20 * gate + 20));
  }
  for (const char* name :
       {"attention.v_a", "shared.v_a", "readout.bias", "gru.bias_ih_l0", "gru.bias_hh_l0_reverse"}) {
    INFO(name);
    CHECK(mismatch(at(name), gradus::zeros(at(name).shape())) == "");
  }
  for (const char* name : {"attention.W_a.weight", "attention.U_a.weight", "shared.W_a.weight"}) {
    check_normal(at(name), 0.001);
  }
  for (const char* name : {"embedding.weight", "gru.weight_ih_l0", "readout.weight"})
    check_normal(at(name), 0.01);
  CHECK(mismatch(at("gain"), gradus::ones({3})) == "");
  CHECK(model.readout.weight.requires_grad());
  CHECK(model.readout.weight.dtype() == Dtype::f64);
}

TEST_CASE("init_bahdanau works on part of a model, and a seed gives the same bits", "[nn][init]") {
  nn::AdditiveAttention attention(30, 40, 50);
  const auto drawn = [&](std::uint64_t seed) {
    gradus::seed(seed);
    nn::init_bahdanau(attention);
    return snapshot(attention);
  };
  const auto first = drawn(1);
  check_normal(attention.W_a.weight, 0.001);
  CHECK(drawn(2) != first);
  CHECK(drawn(1) == first);
  nn::Linear linear(40, 50);
  gradus::seed(1);
  nn::init_bahdanau(linear);
  check_normal(linear.weight, 0.01);
}

TEST_CASE("init_bahdanau refuses a recurrent matrix without square gates, and changes nothing",
          "[nn][init]") {
  struct Odd : nn::Module {
    Odd() : bias(add_parameter("bias", gradus::ones({2}))) {
      add_parameter("weight_hh", gradus::ones({5, 2}));
    }
    const Tensor bias;
  };
  Odd odd;
  CHECK_ERROR(nn::init_bahdanau(odd),
              "orthogonal_blocks: needs a shape (G·H, H), stacked square blocks, and got (5, 2)");
  CHECK(mismatch(odd.bias, gradus::ones({2})) == "");
}
