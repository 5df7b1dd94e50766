#include "attention_sequence.hpp"

#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/scope.hpp>

#include <optional>
#include <string>
#include <utility>

#include "composed.hpp"
#include "runtime/runtime_state.hpp"

namespace gradus {
namespace composed {
namespace {

Tensor attention_sequence(const Tensor& y, const std::vector<Tensor>& first, const Tensor& keys,
                          const Tensor& values, const Tensor& lengths, const AttentionDecoder& decoder,
                          const Packing& packing) {
  // The scopes have the names of the modules in nn and models. A picture of the tape then has the same boxes
  // as for a decoder that calls these modules.
  const std::size_t L = decoder.layers.size();
  const AttentionScore& score = decoder.score;
  const auto query_of = [&](const Tensor& s) {
    const Scope scope("W_a");
    return score.W_a.defined() ? linear(s, score.W_a) : s;
  };
  const auto energies = [&](const Tensor& s) {
    const Tensor query = query_of(s);
    if (score.v_a.defined()) return gradus::additive_energy(query, keys, score.v_a, lengths);
    return transpose(sum(keys * query, 2), 0, 1) * score.scale;  // (B, T)
  };
  std::vector<Tensor> h(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(L)),
      c(first.begin() + static_cast<std::ptrdiff_t>(L), first.end());
  const auto update = [&](std::size_t layer, const Tensor& x) {
    const Scope scope("rnn");
    const auto& [W_ih, W_hh, b_ih, b_hh] = decoder.layers[layer];
    const Tensor x_part = linear(x, W_ih, b_ih);
    if (decoder.cell == AttentionCell::lstm) {
      const std::vector<Tensor> after = lstm_step(x_part, {h[layer], c[layer]}, W_hh, b_hh);
      h[layer] = after[0];
      c[layer] = after[1];
    } else {
      const bool original = decoder.cell == AttentionCell::original_gru;
      h[layer] = gru_step(original ? GRUForm::original : GRUForm::pytorch, x_part, h[layer], W_hh, b_hh);
    }
  };

  std::vector<Tensor> rows;
  const Tensor steps = unpack(y, packing);  // (T_y, B, E)
  for (std::int64_t t = 0; t < packing.steps(); ++t) {
    std::optional<Generator> draws;
    if (decoder.draws) draws = decoder.draws->stream(static_cast<std::uint64_t>(t));
    const auto dropped = [&](const Tensor& x, double probability) {
      return draws && probability > 0 ? dropout(x, probability, *draws) : x;
    };
    const Tensor before = h.back();
    const auto [context, alpha] = [&] {
      const Scope scope("attention");
      const Tensor weights = masked_softmax(energies(before), lengths);  // (B, T)
      return std::pair{gradus::weighted_sum(dropped(weights, score.dropout), values, lengths), weights};
    }();
    update(0, concat({steps[t], context}, 1));
    for (std::size_t layer = 1; layer < L; ++layer) update(layer, dropped(h[layer - 1], decoder.dropout));
    rows.push_back(concat({decoder.earlier ? before : h.back(), context, alpha}, 1));
  }
  if (rows.empty()) return zeros({0, h[0].size(1) + values.size(2) + values.size(0)}, y.dtype());
  return pack(stack(rows), packing);
}

}  // namespace
}  // namespace composed

namespace attention {
namespace {

constexpr const char* operation = "attention_sequence";

void check_dropout(const Dropout& dropout, std::int64_t B) {
  for (const double probability : {dropout.of_weights, dropout.between}) {
    if (!(probability >= 0 && probability < 1))
      fail(operation, "a dropout probability must be in [0, 1), and is ", probability);
  }
  const BatchPart* part = dropout.steps.part();
  if (part != nullptr && std::ssize(part->sequences) != B) {
    fail(operation, "the generator is for ", std::ssize(part->sequences),
         " sequences of a batch, and there are ", B);
  }
}

Form check(std::span<const Tensor> in, const Tensor& lengths, const AttentionDecoder& w, std::size_t states,
           const Packing& packing) {
  const Tensor &y = in[in_y], &keys = in[in_keys], &values = in[in_values];
  const bool is_lstm = w.cell == AttentionCell::lstm;
  const auto layers = static_cast<int>(w.layers.size());
  if (layers == 0) fail(operation, "needs at least 1 layer, and got 0");
  const Tensor& W_hh = w.layers[0].weight_hh;
  if (y.rank() != 2 || keys.rank() != 3 || values.rank() != 3 || W_hh.rank() != 2) {
    fail(operation, "needs inputs (N, E), keys (T, B, A), values (T, B, D) and weight_hh (G·H, H), and got ",
         y.shape(), ", ", keys.shape(), ", ", values.shape(), " and ", W_hh.shape());
  }
  const std::int64_t G = is_lstm ? 4 : 3, parts = is_lstm ? 2 : 1, H = W_hh.size(1);
  Form form{.cell = w.cell,
            .N = packing.rows(),
            .B = packing.batch(),
            .T = keys.size(0),
            .E = y.size(1),
            .H = H,
            .A = w.score.W_a.defined() || w.score.v_a.defined() ? keys.size(2) : H,
            .D = values.size(2),
            .gates = G,
            .parts = parts,
            .kept = is_lstm ? cells::Lstm<float>::kept : cells::Gru<float>::kept,
            .layers = layers,
            .score = {.additive = w.score.v_a.defined(), .scale = w.score.scale},
            .earlier = w.earlier,
            .dropout = {}};
  if (w.draws) form.dropout = {.of_weights = w.score.dropout, .between = w.dropout, .steps = *w.draws};
  const std::int64_t B = form.B, T = form.T, E = form.E, A = form.A, D = form.D;
  if (std::ssize(w.layers) * parts != static_cast<std::int64_t>(states)) {
    fail(operation, "the first state has ", states, " tensors and must have ", layers * parts,
         is_lstm ? ", h and then c of each layer" : ", h of each layer");
  }
  const auto need = [&](const char* what, const Tensor& tensor, const Shape& shape, int layer = 0) {
    if (tensor.shape() != shape) {
      fail(operation, what, layer == 0 ? "" : " of layer " + std::to_string(layer), " is ", tensor.shape(),
           " and must be ", shape);
    }
    check_same_dtype(operation, y, tensor);
  };
  need("the input", y, {form.N, E});
  for (std::size_t i = 0; i < states; ++i) {
    need(i < w.layers.size() ? "s_0" : "c_0", in[in_state + i], {B, H});
  }
  need("keys", keys, {T, B, A});
  need("values", values, {T, B, D});
  for (int layer = 0; layer < layers; ++layer) {
    const AttentionDecoder::Layer& p = w.layers[static_cast<std::size_t>(layer)];
    need("weight_ih", p.weight_ih, {G * H, layer == 0 ? E + D : H}, layer);
    need("weight_hh", p.weight_hh, {G * H, H}, layer);
    if (p.bias_ih.defined()) need("bias_ih", p.bias_ih, {G * H}, layer);
    if (p.bias_hh.defined()) need("bias_hh", p.bias_hh, {G * H}, layer);
  }
  if (w.score.W_a.defined()) need("W_a", w.score.W_a, {A, H});
  if (w.score.v_a.defined()) need("v_a", w.score.v_a, {A});
  check_lengths(operation, lengths, B, T);
  if (form.dropout) check_dropout(*form.dropout, B);
  return form;
}

// Runs all steps and records them as one operation.
Tensor run(const std::vector<Tensor>& inputs, const Tensor& lengths, const Packing& packing,
           const Form& form) {
  const std::int64_t N = form.N, L = form.layers;
  const Dtype dtype = inputs[in_y].dtype();
  Rowwise rowwise{empty({N, form.result()}, dtype), {}, {}, {}};
  const bool keeps = keeps_tape(inputs);
  if (keeps) {
    rowwise.kept = empty({L, N, form.kept * form.H}, dtype);
    rowwise.below = empty({L - 1, N, form.H}, dtype);
    if (inputs[in_W_a].defined()) rowwise.queries = empty({N, form.A}, dtype);
  }
  run_forward(inputs, lengths, packing, form, rowwise);
  std::vector<Tensor> saved;
  if (keeps) {
    saved = inputs;  // the loops below drop the inputs that backward does not read
    for (int i = in_state; i < form.parameter(0, weight_ih); ++i)
      saved[static_cast<std::size_t>(i)] = Tensor();
    for (int layer = 0; layer < form.layers; ++layer) {
      for (const OfLayer bias : {bias_ih, bias_hh}) {
        saved[static_cast<std::size_t>(form.parameter(layer, bias))] = Tensor();
      }
    }
    saved.insert(saved.end(), {lengths, rowwise.kept, rowwise.below, rowwise.queries, rowwise.result});
  }
  return record(operation, rowwise.result, inputs, saved,
                [packing, form](Gradients& g) { run_backward(g, packing, form); });
}

}  // namespace
}  // namespace attention

Tensor attention_sequence(const Tensor& y, const std::vector<Tensor>& state, const Tensor& keys,
                          const Tensor& values, const Tensor& lengths, const AttentionDecoder& w,
                          const Packing& packing) {
  using namespace attention;
  std::vector<Tensor> inputs;
  inputs.reserve(in_state + state.size() + of_layer * w.layers.size());
  inputs.assign({y, keys, values, w.score.W_a, w.score.v_a});
  inputs.insert(inputs.end(), state.begin(), state.end());
  for (const AttentionDecoder::Layer& p : w.layers) {
    inputs.insert(inputs.end(), {p.weight_ih, p.bias_ih, p.weight_hh, p.bias_hh});
  }
  const Form form = check(inputs, lengths, w, state.size(), packing);
  if (!thread_state().fuses) {
    return composed::attention_sequence(y, state, keys, values, lengths, w, packing);
  }
  return run(inputs, lengths, packing, form);
}

}  // namespace gradus
