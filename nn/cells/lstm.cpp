#include <gradus/autograd/fused.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/nn/lstm.hpp>

namespace gradus::nn {
namespace {

// The equations are in lstm.hpp. autograd/fused/cell_update.cpp also has them as simple operations.
RecurrentState lstm_step(const RecurrentWeights& p, const Tensor& x_part, const RecurrentState& before) {
  const Tensor after =
      lstm_update(x_part, linear(before[0], p.weight_hh, p.bias_hh), before[1]);  // (2, B, H)
  return {after[0], after[1]};
}

RecurrentKind lstm() { return {.gates = 4, .parts = 2, .step = lstm_step, .gated = GatedCell::lstm}; }

}  // namespace

LSTMCell::LSTMCell(std::int64_t inputs, std::int64_t hidden, LSTMCellOptions options)
    : RecurrentCell("LSTMCell", lstm(), inputs, hidden, options.bias) {}

LSTMCell::Output LSTMCell::forward(const Tensor& x, const Tensor& h, const Tensor& c) const {
  const Scope scope = enter();
  const RecurrentState state = advance(x, {h, c});
  return {state[0], state[1]};
}

LSTM::LSTM(std::int64_t inputs, std::int64_t hidden, LSTMOptions options)
    : Recurrent("LSTM", lstm(), inputs, hidden,
                {.layers = options.layers,
                 .bidirectional = options.bidirectional,
                 .dropout = options.dropout,
                 .bias = options.bias,
                 .batch_first = options.batch_first}) {}

LSTM::Output LSTM::forward(const Tensor& x, const Tensor& lengths, const Tensor& h_0,
                           const Tensor& c_0) const {
  const auto [output, last] = run(x, lengths, {h_0, c_0});
  return {output, last[0], last[1]};
}

}  // namespace gradus::nn
