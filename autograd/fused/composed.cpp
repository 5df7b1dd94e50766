#include "composed.hpp"

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/scope.hpp>

#include <utility>

namespace gradus::composed {
namespace {

// Columns of the gates [first, end) of (B, G·H).
Tensor columns(const Tensor& part, std::int64_t H, int first, int end) {
  return part.slice(first * H, end * H, 1);
}

// x (T, B, …) with zeros beyond the lengths.
Tensor zero_padding(const Tensor& x, const Tensor& lengths) {
  if (!lengths.defined()) return x;
  const std::int64_t T = x.size(0);
  const Tensor real = greater(lengths.reshape({1, -1}), arange(T).reshape({T, 1}));  // (T, B)
  return where(x.rank() == 2 ? real : unsqueeze(real, -1), x, zeros({1}, x.dtype()));
}

// One step from x_part = W_ih x + b_ih, (B, 3H). In the original form the reset gate acts before the product.
// So two products are needed: one with h for r and z, and one with r ∘ h for n.
Tensor gru_step(GRUForm form, const Tensor& x_part, const Tensor& h, const Tensor& W, const Tensor& b) {
  if (form == GRUForm::pytorch) return composed::gru_update(x_part, linear(h, W, b), h);
  const std::int64_t H = h.size(1);
  const auto rows = [&](const Tensor& of, int first, int end) {
    return of.defined() ? of.slice(first * H, end * H) : Tensor();
  };
  const Tensor rz = sigmoid(columns(x_part, H, 0, 2) + linear(h, rows(W, 0, 2), rows(b, 0, 2)));  // (B, 2H)
  const Tensor r = columns(rz, H, 0, 1), z = columns(rz, H, 1, 2);
  const Tensor n = tanh(columns(x_part, H, 2, 3) + linear(r * h, rows(W, 2, 3), rows(b, 2, 3)));
  return (1.0 - z) * n + z * h;
}

// {h′, c′} from x_part = W_ih x + b_ih, (B, 4H), and {h, c}.
std::vector<Tensor> lstm_step(const Tensor& x_part, const std::vector<Tensor>& state, const Tensor& W,
                              const Tensor& b) {
  const Tensor after = composed::lstm_update(x_part, linear(state[0], W, b), state[1]);
  return {after[0], after[1]};
}

}  // namespace

Tensor gru_update(const Tensor& x_part, const Tensor& h_part, const Tensor& h) {
  const auto gate = [H = h.size(1)](const Tensor& part, int i) { return columns(part, H, i, i + 1); };
  const Tensor r = sigmoid(gate(x_part, 0) + gate(h_part, 0));
  const Tensor z = sigmoid(gate(x_part, 1) + gate(h_part, 1));
  const Tensor n = tanh(gate(x_part, 2) + r * gate(h_part, 2));
  return (1.0 - z) * n + z * h;
}

Tensor lstm_update(const Tensor& x_part, const Tensor& h_part, const Tensor& c) {
  const Tensor sums = x_part + h_part;
  const auto gate = [&, H = c.size(1)](int index) { return columns(sums, H, index, index + 1); };
  const Tensor i = sigmoid(gate(0)), f = sigmoid(gate(1)), g = tanh(gate(2)), o = sigmoid(gate(3));
  const Tensor after = f * c + i * g;
  return stack({o * tanh(after), after});
}

GRUStates gru_sequence(const Tensor& x_parts, const Tensor& weight_hh, const Tensor& bias_hh,
                       const Tensor& h_0, const Packing& packing, bool reverse, GRUForm form) {
  const auto step = [&](const Tensor& x_part, const std::vector<Tensor>& state) {
    return std::vector{gru_step(form, x_part, state[0], weight_hh, bias_hh)};
  };
  const auto [states, last] = scan(step, x_parts, {h_0}, packing, reverse);
  return {states, last[0]};
}

LSTMStates lstm_sequence(const Tensor& x_parts, const Tensor& weight_hh, const Tensor& bias_hh,
                         const Tensor& h_0, const Tensor& c_0, const Packing& packing, bool reverse) {
  const auto step = [&](const Tensor& x_part, const std::vector<Tensor>& state) {
    return lstm_step(x_part, state, weight_hh, bias_hh);
  };
  const auto [states, last] = scan(step, x_parts, {h_0, c_0}, packing, reverse);
  return {states, last[0], last[1]};
}

Tensor additive_energy(const Tensor& query, const Tensor& keys, const Tensor& v, const Tensor& lengths) {
  return transpose(zero_padding(sum(v * tanh(keys + query), 2), lengths), 0, 1);  // (B, T)
}

Tensor weighted_sum(const Tensor& weights, const Tensor& values, const Tensor& lengths) {
  const Tensor terms = unsqueeze(transpose(weights, 0, 1), -1) * values;  // (T, B, 1) · (T, B, D)
  return sum(zero_padding(terms, lengths), 0);
}

Tensor attention_sequence(const Tensor& y, const std::vector<Tensor>& first, const Tensor& keys,
                          const Tensor& values, const Tensor& lengths, const AttentionDecoder& decoder,
                          const Packing& packing) {
  // The scopes are the names of the modules in nn and models, for pictures of the graph.
  const std::size_t L = decoder.layers.size();
  const AttentionScore& score = decoder.score;
  const auto query_of = [&](const Tensor& s) {
    const Scope scope("W_a");
    return score.W_a.defined() ? linear(s, score.W_a) : s;
  };
  const auto energies = [&](const Tensor& s) {
    const Tensor query = query_of(s);
    if (score.v_a.defined()) return composed::additive_energy(query, keys, score.v_a, lengths);
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
      return std::pair{composed::weighted_sum(dropped(weights, score.dropout), values, lengths), weights};
    }();
    update(0, concat({steps[t], context}, 1));
    for (std::size_t layer = 1; layer < L; ++layer) update(layer, dropped(h[layer - 1], decoder.dropout));
    rows.push_back(concat({decoder.earlier ? before : h.back(), context, alpha}, 1));
  }
  if (rows.empty()) return zeros({0, h[0].size(1) + values.size(2) + values.size(0)}, y.dtype());
  return pack(stack(rows), packing);
}

}  // namespace gradus::composed
