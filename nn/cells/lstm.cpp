#include <gradus/autograd/fused.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/nn/lstm.hpp>

namespace gradus::nn {
namespace {

// {h′, c′} from the input's part W_ih x + b_ih and the state's part W_hh h + b_hh, each (B, 4H). Composed
// equivalent of lstm_update.
RecurrentState composed_update(const Tensor& x_part, const Tensor& h_part, const RecurrentState& before,
                               const Tensor& lengths, std::int64_t t) {
  const Tensor &h = before[0], &c = before[1];
  const std::int64_t H = h.size(1);
  const Tensor sums = x_part + h_part;
  const auto gate = [&](int index) { return sums.slice(index * H, (index + 1) * H, 1); };  // (B, H)
  const Tensor i = sigmoid(gate(0)), f = sigmoid(gate(1)), g = tanh(gate(2)), o = sigmoid(gate(3));
  const Tensor updated_c = f * c + i * g;
  const Tensor updated_h = o * tanh(updated_c);
  return {unless_ended(updated_h, h, lengths, t), unless_ended(updated_c, c, lengths, t)};
}

RecurrentStep step(const RecurrentWeights& p) {
  return [p](const Tensor& x_part, const RecurrentState& before, const Tensor& lengths, std::int64_t t) {
    const Tensor h_part = linear(before[0], p.weight_hh, p.bias_hh);
    if (!uses_fused_operations()) return composed_update(x_part, h_part, before, lengths, t);
    const Tensor after = lstm_update(x_part, h_part, before[0], before[1], lengths, t);  // (2, B, H)
    return RecurrentState{after[0], after[1]};
  };
}

RecurrentStates sequence(const RecurrentWeights& p, const Tensor& x_parts, const RecurrentState& first,
                         const Packing& packing, bool reverse) {
  const auto [states, h, c] =
      lstm_sequence(x_parts, p.weight_hh, p.bias_hh, first[0], first[1], packing, reverse);
  return {states, {h, c}};
}

RecurrentKind lstm() { return {.gates = 4, .parts = 2, .step = step, .sequence = sequence}; }

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
