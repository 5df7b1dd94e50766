// Initial values must have PyTorch's distribution: mean, deviation, minimum and maximum.

#include <gradus/nn/bilinear.hpp>
#include <gradus/nn/embedding.hpp>
#include <gradus/nn/gru.hpp>
#include <gradus/nn/init.hpp>
#include <gradus/nn/linear.hpp>

#include <numbers>

#include "golden.hpp"
#include "nn/helpers.hpp"

namespace nn = gradus::nn;
using gradus::Shape;
using gradus::Tensor;

namespace {

constexpr std::int64_t O = 300, I = 500;
const Shape shape{O, I};

// The kurtosis of a distribution, and the standard error of the maximum of n numbers from it, in units of the
// standard deviation σ. The distance from the bound to the maximum of n uniform numbers is exponentially
// distributed, with deviation width / n. The maximum of n normal numbers has a Gumbel distribution with scale
// σ / √(2 ln n).
struct Law {
  double kurtosis;
  double (*extreme)(double n);
};
const Law uniform{1.8, [](double n) { return 2 * std::sqrt(3.0) / n; }};
const Law normal{3, [](double n) { return std::numbers::pi / std::sqrt(12 * std::log(n)); }};

// Compares mean, deviation, minimum and maximum with PyTorch's sample. The tolerance is five standard errors
// of the difference between two samples.
void check(const std::string& name, const Tensor& ours, const Law& law) {
  static const Golden golden("init_statistics");
  INFO(name);
  const auto pytorch = golden[name].to_vector<double>();
  const Tensor x = ours.to(gradus::Dtype::f64);
  const auto n = static_cast<double>(x.numel());
  REQUIRE(n == O * I);

  const double unit = 5 * std::sqrt(2.0) * pytorch[1];
  CHECK(std::abs(mean(x).item() - pytorch[0]) < unit / std::sqrt(n));
  CHECK(std::abs(std::sqrt(variance(x, {}, false, 0).item()) - pytorch[1]) <
        unit * std::sqrt((law.kurtosis - 1) / (4 * n)));
  CHECK(std::abs(min(x).item() - pytorch[2]) < unit * law.extreme(n));
  CHECK(std::abs(max(x).item() - pytorch[3]) < unit * law.extreme(n));
}

}  // namespace

TEST_CASE("initialisers have PyTorch's distributions", "[nn][init][golden]") {
  gradus::seed(1);
  gradus::Generator& generator = gradus::default_generator();
  check("uniform", gradus::uniform(shape, -0.5, 2, generator), uniform);
  check("normal", gradus::normal(shape, 1, 3, generator), normal);
  check("xavier_uniform", nn::xavier_uniform(shape), uniform);
  check("xavier_uniform_tanh", nn::xavier_uniform(shape, nn::gain(nn::Nonlinearity::tanh)), uniform);
  check("xavier_normal", nn::xavier_normal(shape), normal);
  check("kaiming_uniform", nn::kaiming_uniform(shape), uniform);
  check("kaiming_uniform_out", nn::kaiming_uniform(shape, {.fan = nn::Fan::out, .gain = 1}), uniform);
  check("kaiming_normal", nn::kaiming_normal(shape), normal);
  check("kaiming_normal_out",
        nn::kaiming_normal(shape, {.fan = nn::Fan::out, .gain = nn::gain(nn::Nonlinearity::leaky_relu, 0.5)}),
        normal);
  check("orthogonal", nn::orthogonal(shape, 2),
        normal);  // nearly normal: a coordinate of a random point on a sphere in 500 dimensions
}

TEST_CASE("modules' initial weights have PyTorch's distributions", "[nn][init][golden]") {
  gradus::seed(2);
  check("linear", nn::Linear(I, O).weight, uniform);
  check("bilinear", nn::Bilinear(I, 6, 50).weight, uniform);
  check("embedding", nn::Embedding(O, I).weight, normal);
  check("gru", nn::GRU(I, O / 3).parameters()[0], uniform);
}
