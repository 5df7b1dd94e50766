#include <gradus/autograd/ops.hpp>
#include <gradus/nn/rnn.hpp>

namespace gradus::nn {
namespace {

RecurrentKind rnn(Nonlinearity nonlinearity) {
  const auto f = nonlinearity == Nonlinearity::tanh ? tanh : relu;
  const auto step = [f](const RecurrentWeights& p, const Tensor& x_part, const RecurrentState& before) {
    return RecurrentState{f(x_part + linear(before[0], p.weight_hh, p.bias_hh))};
  };
  return {.gates = 1, .step = step};
}

Nonlinearity checked(const char* module, Nonlinearity f) {
  if (f == Nonlinearity::tanh || f == Nonlinearity::relu) return f;
  fail(module, "its nonlinearity must be tanh or relu");
}

}  // namespace

RNNCell::RNNCell(std::int64_t inputs, std::int64_t hidden, RNNCellOptions options)
    : RecurrentCell("RNNCell", rnn(checked("RNNCell", options.nonlinearity)), inputs, hidden, options.bias) {}

Tensor RNNCell::forward(const Tensor& x, const Tensor& h) const {
  const Scope scope = enter();
  return advance(x, {h})[0];
}

RNN::RNN(std::int64_t inputs, std::int64_t hidden, RNNOptions options)
    : Recurrent("RNN", rnn(checked("RNN", options.nonlinearity)), inputs, hidden,
                {.layers = options.layers,
                 .bidirectional = options.bidirectional,
                 .dropout = options.dropout,
                 .bias = options.bias,
                 .batch_first = options.batch_first}) {}

RNN::Output RNN::forward(const Tensor& x, const Tensor& lengths, const Tensor& h_0) const {
  const auto [output, last] = run(x, lengths, {h_0});
  return {output, last[0]};
}

}  // namespace gradus::nn
