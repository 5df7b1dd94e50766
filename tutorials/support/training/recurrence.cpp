#include "recurrence.hpp"

#include <gradus/autograd/ops.hpp>
#include <gradus/nn/gru.hpp>

#include "numbers.hpp"

namespace tutorial {

using gradus::Dtype;
using gradus::Tensor;
namespace nn = gradus::nn;

State rnn_step(const nn::RecurrentWeights& p, const Tensor& x, const State& before) {
  return {tanh(linear(x, p.weight_ih, p.bias_ih) + linear(before[0], p.weight_hh, p.bias_hh))};  // (B, H)
}

std::vector<State> unroll(const StepFunction& step, const nn::RecurrentWeights& weights, const Tensor& x) {
  const Tensor zero = gradus::zeros({x.size(1), weights.weight_hh.size(1)}, x.dtype());  // (B, H)
  std::vector<State> states = {{zero, zero}};  // {h, c}; only an LSTM reads c
  for (std::int64_t t = 0; t < x.size(0); ++t) states.push_back(step(weights, x[t], states.back()));
  return states;
}

Table gru_conventions(std::int64_t H, const StepFunction& cho, const StepFunction& pytorch,
                      const StepFunction& bahdanau, const Tensor& x) {
  nn::GRU net(x.size(2), H);
  net.to(Dtype::f64);
  nn::RecurrentWeights p = net.weights(0);
  // Sets all hidden biases to 0. With a bias b_hn, PyTorch's r would change even the first step, which starts
  // from h = 0.
  p.bias_hh = gradus::zeros({3 * H}, Dtype::f64);
  const Tensor one = gradus::ones({H}, Dtype::f64), s = gradus::concat({one, -one, one}, 0);  // (H), (3H)
  const Tensor rows = gradus::unsqueeze(s, 1);                                                // (3H, 1)
  const nn::RecurrentWeights z_negated{.weight_ih = p.weight_ih * rows,
                                       .weight_hh = p.weight_hh * rows,
                                       .bias_ih = p.bias_ih * s,
                                       .bias_hh = p.bias_hh * s};

  const std::vector<State> states = unroll(cho, p, x);
  const auto row = [&](const std::string& name, const StepFunction& step,
                       const nn::RecurrentWeights& weights) {
    const std::vector<State> other = unroll(step, weights, x);
    return Table::Row{name,
                      {largest_difference(states[1][0], other[1][0]),
                       largest_difference(states.back()[0], other.back()[0])}};
  };
  return {.name = "conventions",
          .rows_are = "Cho et al. against",
          .columns = {"after 1 step", "after " + std::to_string(x.size(0))},
          .rows = {row("PyTorch: r after the product", pytorch, p),
                   row("Bahdanau et al.: z inverted", bahdanau, p),
                   row("the same, and z's weights negated", bahdanau, z_negated)}};
}

}  // namespace tutorial
