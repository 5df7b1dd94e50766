#include "inside.hpp"

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/recording.hpp>
#include <gradus/data/tokens.hpp>
#include <gradus/error.hpp>
#include <gradus/models/bahdanau_decoder.hpp>
#include <gradus/nn/gru.hpp>
#include <gradus/nn/lstm.hpp>

#include <algorithm>
#include <cmath>

namespace gradus::web {
namespace {

double largest_difference(const Tensor& one, const Tensor& other) {
  return max(abs(one.detach() - other.detach())).item();
}

// e_t, (T, 1): v_a · tanh(W_a s + U_a h_j), or scale · (W_a s) · h_j.
Tensor energies_of(const AttentionScore& score, const Tensor& s, const nn::Memory& memory) {
  const Tensor query = score.W_a.defined() ? linear(s, score.W_a) : s;  // (1, A)
  const Tensor& keys = memory.keys.defined() ? memory.keys : memory.values;
  if (score.v_a.defined()) return sum(score.v_a * tanh(query + keys), 2);
  return score.scale * sum(query * keys, 2);
}

struct Cell {
  NamedTensors gates;  // (1, H)
  Tensor after;
};

// The state after x, gate by gate: the equations of nn::GRUCell, nn::LSTMCell and nn::RNNCell.
Cell run_cell(const nn::Recurrent& rnn, const Tensor& x, const Tensor& h, const Tensor& c) {
  const auto& [weight_ih, weight_hh, bias_ih, bias_hh] = rnn.weights(0);
  const std::int64_t H = rnn.hidden();
  const Tensor of_x = linear(x, weight_ih, bias_ih), of_h = linear(h, weight_hh, bias_hh);
  const auto part = [H](const Tensor& all, std::int64_t gate) {
    return all.slice(gate * H, (gate + 1) * H, 1);
  };
  const auto both = [&](std::int64_t gate) { return part(of_x, gate) + part(of_h, gate); };
  if (c.defined()) {
    const Tensor i = sigmoid(both(0)), f = sigmoid(both(1)), g = tanh(both(2)), o = sigmoid(both(3));
    const Tensor cell = f * c + i * g;
    return {{{"i", i}, {"f", f}, {"g", g}, {"o", o}, {"c′", cell}}, o * tanh(cell)};
  }
  const auto* const gru = dynamic_cast<const nn::GRU*>(&rnn);
  if (gru == nullptr) return {{}, tanh(of_x + of_h)};
  const Tensor r = sigmoid(both(0)), z = sigmoid(both(1));
  const Tensor inner = gru->form() == nn::GRUForm::pytorch
                           ? r * part(of_h, 2)
                           : linear(r * h, weight_hh.slice(2 * H, 3 * H), bias_hh.slice(2 * H, 3 * H));
  const Tensor n = tanh(part(of_x, 2) + inner);
  return {{{"r", r}, {"z", z}, {"n", n}}, (1 - z) * n + z * h};
}

}  // namespace

Inside look_inside(const models::Seq2Seq& model, const std::vector<std::int64_t>& source,
                   const std::vector<std::int64_t>& written, std::int64_t t) {
  const NoGrad no_grad;
  const auto* const decoder = dynamic_cast<const models::BahdanauDecoder*>(model.decoder.get());
  if (decoder == nullptr)
    throw Error("this decoder has no attention to look into; choose the decoder bahdanau");
  const auto T = std::ssize(source);
  if (t < 0 || t >= std::ssize(written)) {
    throw Error("there is no step " + std::to_string(t + 1) + "; the output has " +
                std::to_string(written.size()));
  }
  auto [state, memory] = model.start(tensor(source, {T, 1}), tensor(std::vector<std::int64_t>{T}));
  const auto score = decoder->attention->fused_score(memory.values.size(2));
  if (!score) throw Error("this attention has no score that can be shown");
  const auto token = [&](std::int64_t step) {
    return tensor(
        std::vector<std::int64_t>{step == 0 ? data::bos : written[static_cast<std::size_t>(step - 1)]});
  };
  for (std::int64_t step = 0; step < t; ++step) state = decoder->step(token(step), state, memory).state;

  const Tensor s = state["s"];                                     // (1, H)
  const Tensor e = energies_of(*score, s, memory);                 // (T, 1)
  const Tensor alpha = softmax(transpose(e, 0, 1));                // (1, T)
  const Tensor c = matmul(alpha, memory.values.reshape({T, -1}));  // (1, D)
  const Tensor y = decoder->embedding.forward(token(t));           // (1, E)
  const Cell cell = run_cell(*decoder->rnn, concat({y, c}, 1), s, state.find("cell.0"));
  const Tensor p = softmax(decoder->readout.forward(concat({cell.after, c, y}, 1)));  // (1, V)

  const auto library = decoder->step(token(t), state, memory);
  Inside inside{s[0],
                e.reshape({T}),
                alpha[0],
                c[0],
                {},
                cell.after[0],
                p[0],
                std::max(largest_difference(cell.after, library.state["s"]),
                         largest_difference(p, softmax(library.logits)))};
  for (const auto& [name, gate] : cell.gates) inside.gates.emplace_back(name, gate[0]);
  return inside;
}

}  // namespace gradus::web
