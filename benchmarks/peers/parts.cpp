#include "parts.hpp"

#include <gradus/data/batch.hpp>

#include <limits>
#include <vector>

namespace peers {

namespace nn = torch::nn;

Attention::Attention(int64_t H, int64_t D, int64_t A)
    : W_a(register_module("W_a", nn::Linear(nn::LinearOptions(H, A).bias(false)))),
      U_a(register_module("U_a", nn::Linear(nn::LinearOptions(D, A).bias(false)))),
      v_a(register_parameter("v_a", torch::empty({A}))) {}

Memory Attention::prepare(const Tensor& annotations, const Tensor& lengths) {
  return {.annotations = annotations,
          .keys = U_a(annotations),
          .padding = torch::arange(annotations.size(0)).unsqueeze(1) >= lengths};
}

Tensor Attention::weights(const Tensor& s, const Memory& memory) {
  const Tensor e = torch::matmul(torch::tanh(memory.keys + W_a(s)), v_a);
  constexpr float infinity = std::numeric_limits<float>::infinity();
  return torch::softmax(e.masked_fill(memory.padding, -infinity), 0);
}

Tensor context(const Tensor& weights, const Memory& memory) {
  return (weights.unsqueeze(2) * memory.annotations).sum(0);
}

Cell::Cell(const nn::GRU& rnn, int64_t layer) {
  const std::vector<Tensor> all = rnn->all_weights();
  const Tensor* own = &all[static_cast<std::size_t>(4 * layer)];
  weight_ih = own[0];
  weight_hh = own[1];
  bias_ih = own[2];
  bias_hh = own[3];
}

Tensor updated(const Tensor& x, const Tensor& h, const Tensor& s) {
  const auto of_x = x.chunk(3, 1), of_h = h.chunk(3, 1);
  const Tensor r = torch::sigmoid(of_x[0] + of_h[0]), z = torch::sigmoid(of_x[1] + of_h[1]);
  const Tensor n = torch::tanh(of_x[2] + r * of_h[2]);
  return n + z * (s - n);
}

Tensor dropout_mask(torch::IntArrayRef shape, double p) {
  const torch::NoGradGuard no_grad;
  return torch::rand(shape).ge_(p).mul_(1 / (1 - p));
}

Tensor dropped(const Tensor& x, double p) { return p > 0 ? x * dropout_mask(x.sizes(), p) : x; }

Tensor real_rows(const Tensor& target_out) {
  return (target_out.flatten() != gradus::data::pad).nonzero().squeeze(1);
}

std::pair<Tensor, Tensor> write_greedily(
    int64_t batch, int64_t steps, const std::function<std::pair<Tensor, Tensor>(const Tensor&)>& step) {
  Tensor token = torch::full({batch}, gradus::data::bos, torch::kLong);
  std::vector<Tensor> tokens, weights;
  for (int64_t t = 0; t < steps; ++t) {
    const auto [logits, alpha] = step(token);
    token = logits.argmax(1);
    tokens.push_back(token);
    weights.push_back(alpha);
  }
  return {torch::stack(tokens), torch::stack(weights)};
}

}  // namespace peers
