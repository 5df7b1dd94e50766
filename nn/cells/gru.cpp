#include <gradus/autograd/fused.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/nn/gru.hpp>

namespace gradus::nn {
namespace {

// Columns of gates [first, end) of a part (B, 3H).
Tensor columns(const Tensor& part, std::int64_t H, int first, int end) {
  return part.slice(first * H, end * H, 1);
}

Tensor blend(const Tensor& z, const Tensor& n, const Tensor& h) { return (1.0 - z) * n + z * h; }

// h′ in PyTorch's form from the input's part W_ih x + b_ih and the state's part W_hh h + b_hh, each (B, 3H).
// Composed equivalent of gru_update.
Tensor composed_update(const Tensor& x_part, const Tensor& h_part, const Tensor& h, const Tensor& lengths,
                       std::int64_t t) {
  const auto gate = [&](const Tensor& part, int i) { return columns(part, h.size(1), i, i + 1); };
  const Tensor r = sigmoid(gate(x_part, 0) + gate(h_part, 0));
  const Tensor z = sigmoid(gate(x_part, 1) + gate(h_part, 1));
  const Tensor n = tanh(gate(x_part, 2) + r * gate(h_part, 2));
  return unless_ended(blend(z, n, h), h, lengths, t);
}

RecurrentStep pytorch_form(const RecurrentWeights& p) {
  return [p](const Tensor& x_part, const RecurrentState& before, const Tensor& lengths, std::int64_t t) {
    const Tensor h_part = linear(before[0], p.weight_hh, p.bias_hh);
    const auto update = uses_fused_operations() ? gru_update : composed_update;
    return RecurrentState{update(x_part, h_part, before[0], lengths, t)};
  };
}

// The reset gate acts before the product, so two products are needed: with h for r and z, with r ∘ h for n.
RecurrentStep original_form(const RecurrentWeights& p) {
  const std::int64_t H = p.weight_hh.size(1);
  const auto rows = [H](const Tensor& x, int first, int end) {
    return x.defined() ? x.slice(first * H, end * H) : Tensor();
  };
  return [H, W_rz = rows(p.weight_hh, 0, 2), b_rz = rows(p.bias_hh, 0, 2), W_n = rows(p.weight_hh, 2, 3),
          b_n = rows(p.bias_hh, 2, 3)](const Tensor& x_part, const RecurrentState& before,
                                       const Tensor& lengths, std::int64_t t) {
    const Tensor& h = before[0];
    const Tensor rz = sigmoid(columns(x_part, H, 0, 2) + linear(h, W_rz, b_rz));  // (B, 2H)
    const Tensor r = columns(rz, H, 0, 1), z = columns(rz, H, 1, 2);
    const Tensor n = tanh(columns(x_part, H, 2, 3) + linear(r * h, W_n, b_n));
    return RecurrentState{unless_ended(blend(z, n, h), h, lengths, t)};
  };
}

RecurrentKind gru(GRUForm form) {
  const auto sequence = [form](const RecurrentWeights& p, const Tensor& x_parts, const RecurrentState& first,
                               const Packing& packing, bool reverse) {
    const auto [states, last] =
        gru_sequence(x_parts, p.weight_hh, p.bias_hh, first[0], packing, reverse, form);
    return RecurrentStates{states, {last}};
  };
  return {.gates = 3, .step = form == GRUForm::original ? original_form : pytorch_form, .sequence = sequence};
}

}  // namespace

GRUCell::GRUCell(std::int64_t inputs, std::int64_t hidden, GRUCellOptions options)
    : RecurrentCell("GRUCell", gru(options.form), inputs, hidden, options.bias) {}

Tensor GRUCell::forward(const Tensor& x, const Tensor& h) const {
  const Scope scope = enter();
  return advance(x, {h})[0];
}

GRU::GRU(std::int64_t inputs, std::int64_t hidden, GRUOptions options)
    : Recurrent("GRU", gru(options.form), inputs, hidden,
                {.layers = options.layers,
                 .bidirectional = options.bidirectional,
                 .dropout = options.dropout,
                 .bias = options.bias,
                 .batch_first = options.batch_first}),
      form_(options.form) {}

GRU::Output GRU::forward(const Tensor& x, const Tensor& lengths, const Tensor& h_0) const {
  const auto [output, last] = run(x, lengths, {h_0});
  return {output, last[0]};
}

}  // namespace gradus::nn
