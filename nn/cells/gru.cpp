#include <gradus/autograd/fused.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/nn/gru.hpp>

namespace gradus::nn {
namespace {

// The equations are in gru.hpp. autograd/fused/cell_update.cpp also has them as simple operations.
RecurrentState gru_step(const RecurrentWeights& p, const Tensor& x_part, const RecurrentState& before) {
  return {gru_update(x_part, linear(before[0], p.weight_hh, p.bias_hh), before[0])};
}

// W_hn (r ∘ h) depends on r, so the original form needs a second product.
RecurrentState original_step(const RecurrentWeights& p, const Tensor& x_part, const RecurrentState& before) {
  return recurrent_sequence(GatedCell::original_gru, x_part, p.weight_hh, p.bias_hh, before,
                            Packing(1, x_part.size(0)))
      .last;
}

RecurrentKind gru(GRUForm form) {
  if (form == GRUForm::original) return {.gates = 3, .step = original_step, .gated = GatedCell::original_gru};
  return {.gates = 3, .step = gru_step, .gated = GatedCell::gru};
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
