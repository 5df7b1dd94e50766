#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/fused.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/nn/gru.hpp>
#include <gradus/nn/init.hpp>

#include <algorithm>

namespace gradus::nn {
namespace {

// h′ from the input's part W_ih x + b_ih and the state's part W_hh h + b_hh, each (B, 3H); rows that have
// ended by `step` keep h. The twin of gru_update.
Tensor composed_update(const Tensor& x_part, const Tensor& h_part, const Tensor& h, const Tensor& lengths,
                       std::int64_t step) {
  const std::int64_t H = h.size(1);
  const auto gate = [H](const Tensor& part, int index) { return part.slice(index * H, (index + 1) * H, 1); };  // (B, H)
  const Tensor r = sigmoid(gate(x_part, 0) + gate(h_part, 0));
  const Tensor z = sigmoid(gate(x_part, 1) + gate(h_part, 1));
  const Tensor n = tanh(gate(x_part, 2) + r * gate(h_part, 2));
  const Tensor updated = (1.0 - z) * n + z * h;
  if (!lengths.defined()) return updated;
  const Tensor running =
      greater(lengths, full({1}, static_cast<double>(step), Dtype::i64)).reshape({-1, 1});  // (B, 1)
  return where(running, updated, h);
}

Tensor update(const Tensor& x_part, const Tensor& h_part, const Tensor& h, const Tensor& lengths = Tensor(),
              std::int64_t step = 0) {
  return (uses_fused_operations() ? gru_update : composed_update)(x_part, h_part, h, lengths, step);
}

void check_state(const char* module, const Tensor& h, const Shape& wanted) {
  if (h.shape() != wanted) fail(module, "the state is ", h.shape(), " and must be ", wanted);
}

}  // namespace

GRUCell::GRUCell(std::int64_t inputs, std::int64_t hidden)
    : weight_ih(add_parameter("weight_ih", uniform_fan_in({3 * hidden, inputs}, hidden))),
      weight_hh(add_parameter("weight_hh", uniform_fan_in({3 * hidden, hidden}, hidden))),
      bias_ih(add_parameter("bias_ih", uniform_fan_in({3 * hidden}, hidden))),
      bias_hh(add_parameter("bias_hh", uniform_fan_in({3 * hidden}, hidden))) {}

Tensor GRUCell::forward(const Tensor& x, const Tensor& h) const {
  const Scope scope = enter();
  if (x.rank() != 2 || x.size(1) != weight_ih.size(1)) {
    fail("GRUCell", "the input is ", x.shape(), " and must be (B, ", weight_ih.size(1), ")");
  }
  check_state("GRUCell", h, {x.size(0), weight_hh.size(1)});
  return update(linear(x, weight_ih, bias_ih), linear(h, weight_hh, bias_hh), h);
}

GRU::GRU(std::int64_t inputs, std::int64_t hidden, GRUOptions options)
    : inputs_(inputs), hidden_(hidden), forward_(make_direction("")) {
  if (options.bidirectional) backward_ = make_direction("_reverse");
}

GRU::Direction GRU::make_direction(const std::string& suffix) {
  const std::int64_t gates = 3 * hidden_;
  return {add_parameter("weight_ih_l0" + suffix, uniform_fan_in({gates, inputs_}, hidden_)),
          add_parameter("weight_hh_l0" + suffix, uniform_fan_in({gates, hidden_}, hidden_)),
          add_parameter("bias_ih_l0" + suffix, uniform_fan_in({gates}, hidden_)),
          add_parameter("bias_hh_l0" + suffix, uniform_fan_in({gates}, hidden_))};
}

GRU::Output GRU::forward(const Tensor& x, const Tensor& lengths, const Tensor& h_0) const {
  const Scope scope = enter();
  if (x.rank() != 3 || x.size(2) != inputs_ || x.size(0) == 0) {
    fail("GRU", "the input is ", x.shape(), " and must be (T, B, ", inputs_, ") with T of at least 1");
  }
  const std::int64_t T = x.size(0), B = x.size(1);
  check_lengths("GRU", lengths, B, T);
  if (h_0.defined()) check_state("GRU", h_0, {directions(), B, hidden_});

  // The state after each token, in the tokens' order; and the last one computed.
  const auto run = [&](const Direction& p, int direction) {
    const Tensor x_parts = linear(x, p.weight_ih, p.bias_ih);  // (T, B, 3H): one product for all steps
    Tensor h = h_0.defined() ? h_0[direction] : zeros({B, hidden_}, x.dtype());
    std::vector<Tensor> states(static_cast<std::size_t>(T));
    for (std::int64_t step = 0; step < T; ++step) {
      const std::int64_t t = direction == 0 ? step : T - 1 - step;
      h = update(x_parts[t], linear(h, p.weight_hh, p.bias_hh), h, lengths, t);
      states[static_cast<std::size_t>(t)] = h;
    }
    return std::pair{stack(states), h};
  };

  auto [output, last] = run(forward_, 0);
  std::vector<Tensor> h_n{last};
  if (backward_) {
    const auto [backward_output, first] = run(*backward_, 1);
    output = concat({output, backward_output}, 2);
    h_n.push_back(first);
  }
  if (lengths.defined()) {
    const Tensor token = arange(T).reshape({T, 1, 1});
    output = where(greater(lengths.reshape({1, B, 1}), token), output, zeros({1}, x.dtype()));
  }
  return {output, stack(h_n)};
}

}  // namespace gradus::nn
