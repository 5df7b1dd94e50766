// The straight-through estimator, and training with rounded weights.

#include <gradus/compress/int8.hpp>
#include <gradus/compress/straight_through.hpp>
#include <gradus/nn/int8.hpp>
#include <gradus/nn/linear.hpp>
#include <gradus/nn/sgd.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include "nn/helpers.hpp"

namespace compress = gradus::compress;
namespace nn = gradus::nn;
using Catch::Approx;
using gradus::Tensor;
using gradus::tensor;

namespace {

Tensor random(const gradus::Shape& shape, std::uint64_t seed = 3) {
  gradus::Generator generator(seed);
  return gradus::normal(shape, 0, 1, generator);
}

std::vector<float> values(const Tensor& x) { return x.to_vector<float>(); }

}  // namespace

TEST_CASE("fake_quantise rounds as int8 does, and passes the gradient on unchanged", "[compress]") {
  Tensor W = random({3, 5});
  CHECK(values(compress::fake_quantise(W)) == values(nn::dequantised(nn::quantise_rows(W))));
  CHECK(values(compress::fake_quantise(W)) != values(W));
  W.set_requires_grad();
  const Tensor g = random({3, 5}, 9);
  compress::fake_quantise(W).backward(g);
  CHECK(values(W.grad()) == values(g));
  CHECK(mismatch(compress::fake_quantise(W.detach().to(gradus::Dtype::f64)),
                 nn::dequantised(nn::quantise_rows(W)).to(gradus::Dtype::f64)) == "");
}

TEST_CASE("gradcheck refuses the straight-through estimator", "[compress][gradients]") {
  const auto report = gradus::gradcheck(
      [](const std::vector<Tensor>& x) { return compress::fake_quantise(x[0]); }, {random({4, 6})});
  CHECK_FALSE(report.passed());
  REQUIRE(report.entries.size() == 1);
  CHECK(report.entries[0].wrong >= 12);  // rounding is flat: the true gradient is 0, but the estimate is not
  CHECK(report.entries[0].numeric == Approx(0).margin(1e-6));
}

TEST_CASE("updates smaller than a step of the rounding add up in the exact copy, and are lost without it",
          "[compress]") {
  nn::Linear layer(4, 3, false), plain(4, 3, false), without(4, 3, false);
  plain.load_state_dict(layer.state_dict());
  without.load_state_dict(layer.state_dict());
  compress::RoundedTraining rounded(layer);
  CHECK_NOTHROW(compress::Int8Products(layer));
  CHECK(values(layer.weight) == values(compress::fake_quantise(plain.weight)));
  const auto integers_of = [](const nn::Linear& of) { return nn::quantise_rows(of.weight).values; };
  const auto start = integers_of(layer);
  const Tensor x = random({5, 4});
  for (int step = 0; step < 200; ++step) {
    for (nn::Linear* const each : {&layer, &plain, &without}) {
      nn::SGD sgd(each->parameters(), {.learning_rate = 1e-4});
      sgd.zero_grad();
      sum(each->forward(x)).backward();  // a linear loss: its gradient is the same for all weights
      sgd.step();
    }
    rounded.after_update();
    compress::round_to_int8(without);
  }
  const auto moved = [&](const nn::Linear& of) {  // how far the integers have moved, summed over all weights
    int sum = 0;
    const auto now = integers_of(of);
    for (std::size_t i = 0; i < now.size(); ++i) sum += std::abs(now[i] - start[i]);
    return sum;
  };
  CHECK(moved(without) <= 2);  // rounding undoes small updates, except for the largest weight of a row
  CHECK(moved(layer) > 20);
  CHECK(mismatch(layer.weight, compress::fake_quantise(plain.weight), {0.01, 0.01}) == "");
  CHECK_NOTHROW(compress::Int8Products(layer));
}

// Four weights near 0.25 have equal inputs, and should sum to 1. A fifth weight has the input 0. This weight
// is so large that the rounding step is s = 0.47. The multiple of s nearest to each of the four weights is s,
// so their sum becomes 4 s = 1.9. It is better to round two weights to s and two to 0: the sum is 0.94.
TEST_CASE("training with rounded weights finds a better rounding than the nearest one", "[compress]") {
  constexpr double s = 0.46875;  // representable in bf16
  nn::Linear layer(5, 1, false);
  Tensor(layer.weight).replace(tensor({{127 * s, 0.24, 0.25, 0.26, 0.27}}));
  Tensor(layer.weight).set_requires_grad();
  const Tensor x = tensor({{0, 1, 1, 1, 1}}), y = tensor({{1}}).to(gradus::Dtype::f32);
  const auto loss = [&] { return mse(layer.forward(x), y); };
  compress::RoundedTraining rounded(layer);
  const double nearest = loss().item();
  CHECK(nearest == Approx(std::pow(4 * s - 1, 2)).epsilon(1e-3));
  nn::SGD sgd(layer.parameters(), {.learning_rate = 2e-3});
  double best = nearest;
  for (int step = 0; step < 50; ++step) {
    sgd.zero_grad();
    loss().backward();
    sgd.step();
    rounded.after_update();
    best = std::min(best, loss().item());
  }
  CHECK(best == Approx(std::pow(2 * s - 1, 2)).epsilon(1e-2));
}

TEST_CASE("the state of RoundedTraining has the exact matrices, and another state is refused", "[compress]") {
  nn::Linear layer(4, 3), other(4, 3);
  const std::vector<float> exact = values(layer.weight);
  compress::RoundedTraining rounded(layer), loaded(other);
  const gradus::NamedTensors state = rounded.state();
  REQUIRE(state.size() == 1);
  CHECK(state[0].first == "weight");
  CHECK(values(state[0].second) == exact);
  loaded.load_state(state);
  CHECK(values(loaded.state()[0].second) == exact);
  CHECK(values(other.weight) == values(layer.weight));

  const auto before = values(other.weight);
  CHECK_THROWS_WITH(loaded.load_state({{"weight", random({3, 5})}}),
                    Catch::Matchers::ContainsSubstring("RoundedTraining: the state does not fit"));
  CHECK_THROWS_WITH(loaded.load_state({}), Catch::Matchers::ContainsSubstring("load the state of a model"));
  CHECK(values(other.weight) == before);
}

TEST_CASE("RoundedTraining changes nothing if a later matrix is not finite", "[compress]") {
  struct Two : nn::Module {
    nn::Linear first{4, 4, false}, second{4, 4, false};
    Two() {
      add_module("first", first);
      add_module("second", second);
    }
  } two;
  compress::RoundedTraining rounded(two);
  gradus::NamedTensors state = rounded.state();
  for (auto& [name, matrix] : state) {
    for (float& w : matrix.mutable_values<float>()) w += 1;
  }
  state[1].second.mutable_values<float>()[5] = INFINITY;
  const auto exact = values(rounded.state()[0].second), weight = values(two.first.weight);
  CHECK_THROWS_WITH(rounded.load_state(state), "quantise_rows: row 1 has the value inf; use finite weights");
  CHECK(values(rounded.state()[0].second) == exact);
  CHECK(values(two.first.weight) == weight);
}

TEST_CASE("RoundedTraining rounds a shared matrix once", "[compress]") {
  struct Tied : nn::Module {
    nn::Linear first{4, 4, false};
    gradus::Tensor second;
    Tied() : second(add_parameter("again", first.weight)) { add_module("first", first); }
  } tied;
  compress::RoundedTraining rounded(tied);
  CHECK(rounded.state().size() == 1);
  const auto start = values(tied.first.weight);
  gradus::Tensor weight = tied.first.weight;
  for (float& w : weight.mutable_values<float>()) w += 1;
  rounded.after_update();
  const auto moved = values(tied.first.weight);
  for (std::size_t i = 0; i < moved.size(); ++i) CHECK(moved[i] == Approx(start[i] + 1).margin(0.02));
}
