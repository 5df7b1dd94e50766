#include <gradus/autograd/fused.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/nn/gru.hpp>

namespace gradus::nn {
namespace {

Scanned gru_states(GRUForm form, const RecurrentWeights& p, const Tensor& x_parts,
                   const RecurrentState& first, const Packing& packing, bool reverse) {
  const auto [states, last] = gru_sequence(x_parts, p.weight_hh, p.bias_hh, first[0], packing, reverse, form);
  return {states, {last}};
}

// The equations are in gru.hpp. autograd/fused/cell_update.cpp also has them as simple operations.
RecurrentState gru_step(GRUForm form, const RecurrentWeights& p, const Tensor& x_part,
                        const RecurrentState& before) {
  if (form == GRUForm::original) {  // W_hn (r ∘ h) depends on r, so it needs a product of its own
    return gru_states(form, p, x_part, before, Packing(1, x_part.size(0)), false).last;
  }
  return {gru_update(x_part, linear(before[0], p.weight_hh, p.bias_hh), before[0])};
}

RecurrentKind gru(GRUForm form) {
  return {.gates = 3,
          .step = [form](const auto&... args) { return gru_step(form, args...); },
          .sequence = [form](const auto&... args) { return gru_states(form, args...); },
          .attention_cell = form == GRUForm::original ? AttentionCell::original_gru : AttentionCell::gru};
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
