// A unit that is inactive for every input must get a gradient of exactly 0, even if the gradient comes from a
// large matrix product. Adam divides gradients by their size, so a mere rounding error would move the unit's
// weights.

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/nn/adam.hpp>

#include <cstdint>
#include <vector>

#include "nn/helpers.hpp"

using gradus::Tensor;

TEST_CASE("Adam does not move the weights of a dead unit", "[nn][optim][long]") {
  constexpr std::int64_t rows = 1536, inputs = 800, units = 2048, outputs = 1024;
  gradus::Generator generator(1);
  const auto random = [&](const gradus::Shape& shape) { return normal(shape, 0, 1, generator); };
  const auto is_dead = [](std::int64_t unit) { return unit % 4 == 1; };
  Tensor bias = gradus::zeros({units});
  for (std::int64_t i = 0; i < units; ++i) {
    if (is_dead(i)) bias.mutable_values<float>()[static_cast<std::size_t>(i)] = -1e6F;
  }
  const Tensor x = random({rows, inputs});
  std::vector<Tensor> weights = {random({units, inputs}) * 0.05, random({outputs, units}) * 0.05};
  for (Tensor& weight : weights) weight = weight.detach().set_requires_grad();
  const std::vector<float> in = weights[0].to_vector<float>(), out = weights[1].to_vector<float>();

  gradus::nn::Adam adam(weights, {.learning_rate = 1e-3});
  for (int step = 0; step < 2; ++step) {
    adam.zero_grad();
    const Tensor y = linear(relu(linear(x, weights[0], bias)), weights[1]);
    mean(y * y).backward();
    adam.step();
  }
  const std::vector<float> in_after = weights[0].to_vector<float>(),
                           out_after = weights[1].to_vector<float>();
  std::int64_t dead_moved = 0, live_moved = 0;
  for (std::int64_t unit = 0; unit < units; ++unit) {
    std::int64_t& moved = is_dead(unit) ? dead_moved : live_moved;
    for (std::int64_t i = 0; i < inputs; ++i) {
      const auto at = static_cast<std::size_t>(unit * inputs + i);
      moved += in[at] != in_after[at];
    }
    for (std::int64_t j = 0; j < outputs; ++j) {
      const auto at = static_cast<std::size_t>(j * units + unit);
      moved += out[at] != out_after[at];
    }
  }
  CHECK(dead_moved == 0);
  CHECK(live_moved > units * (inputs + outputs) / 2);
}
