#include "inside.hpp"

#include <gradus/autograd/ops.hpp>
#include <gradus/data/tokens.hpp>
#include <gradus/error.hpp>
#include <gradus/models/bahdanau_decoder.hpp>
#include <gradus/nn/gru.hpp>
#include <gradus/nn/lstm.hpp>

#include <algorithm>
#include <cmath>

#include "mistakes.hpp"
#include "score.hpp"

namespace gradus::web {
namespace {

double largest_difference(const Tensor& one, const Tensor& other) {
  return max(abs(one.detach() - other.detach())).item();
}

// x with new values. The gradient of the result flows on to the inputs of x.
Tensor replace(const Tensor& x, const std::vector<float>& values, const char* name) {
  if (std::ssize(values) != x.numel()) {
    throw Error(std::string(name) + " has " + std::to_string(x.numel()) + " numbers, and got " +
                std::to_string(values.size()));
  }
  return tensor(values, x.shape()) + (x - x.detach());
}

// h, (T, 1, D), with some rows replaced. The result is a new tensor, so its gradient covers only this step.
Tensor annotations_of(const Tensor& h, const std::map<std::int64_t, std::vector<float>>& replaced) {
  for (const auto& [j, row] : replaced) {
    if (j < 0 || j >= h.size(0)) throw Error("there is no source token " + std::to_string(j + 1));
  }
  std::vector<Tensor> rows;
  for (std::int64_t j = 0; j < h.size(0); ++j) {
    const auto found = replaced.find(j);
    rows.push_back(found == replaced.end() ? h[j] : replace(h[j], found->second, "h_j"));
  }
  return stack(rows);
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
                   const std::vector<std::int64_t>& written, std::int64_t t, const Replaced& replaced) {
  const auto* const decoder = dynamic_cast<const models::BahdanauDecoder*>(model.decoder.get());
  if (is_mistaken(*model.decoder))
    throw Error("a decoder with mistakes cannot be shown part by part; switch them off");
  if (decoder == nullptr)
    throw Error("this decoder cannot be shown part by part; choose the decoder bahdanau");
  const auto T = std::ssize(source);
  if (t < 0 || t >= std::ssize(written)) {
    throw Error("there is no step " + std::to_string(t + 1) + "; the output has " +
                std::to_string(written.size()));
  }
  auto [state, memory] = model.start(tensor(source, {T, 1}), tensor(std::vector<std::int64_t>{T}));
  const auto score = decoder->attention->fused_score(memory.values.size(2));
  const auto token = [&](std::int64_t step) {
    return tensor(
        std::vector<std::int64_t>{step == 0 ? data::bos : written[static_cast<std::size_t>(step - 1)]});
  };
  for (std::int64_t step = 0; step < t; ++step) state = decoder->step(token(step), state, memory).state;

  NamedTensors before = state.tensors();
  if (!replaced.state.empty()) {
    for (auto& [name, values] : before) {
      if (name == "s") values = replace(values, replaced.state, "s_t−1");
    }
  }
  state = nn::State(before, state.step());
  const Tensor h = annotations_of(memory.values, replaced.annotations);  // (T, 1, D)
  memory = decoder->attention->prepare(h, memory.lengths);

  const Tensor s = state["s"];  // (1, H)
  Tensor e, alpha;              // (T, 1), (1, T)
  if (score) {
    e = energies_of(*score, s, memory);
    alpha = softmax(transpose(e, 0, 1));
  } else {
    alpha = decoder->attention->attend(s, memory, t, state["weights"]).weights;
  }
  const Tensor c = matmul(alpha, memory.values.reshape({T, -1}));  // (1, D)
  const Tensor y = decoder->embedding.forward(token(t));           // (1, E)
  const Cell cell = run_cell(*decoder->rnn, concat({y, c}, 1), s, state.find("cell.0"));
  const Tensor logits = decoder->readout.forward(concat({cell.after, c, y}, 1));  // (1, V)
  const Tensor p = softmax(logits.detach());
  const Tensor next = token(t + 1), loss = cross_entropy(logits, next);

  const auto library = decoder->step(token(t), state, memory);
  const NamedTensors parameters = model.named_parameters();
  std::vector<Tensor> inputs{s, h, score ? e : alpha, alpha, c, cell.after, logits}, trained;
  for (const auto& [name, gate] : cell.gates) inputs.push_back(gate);
  const auto parts = std::ssize(inputs);
  for (const auto& [name, parameter] : parameters) trained.push_back(parameter);
  inputs.insert(inputs.end(), trained.begin(), trained.end());
  const std::vector<Tensor> gradients = grad({loss}, inputs, {}, true);
  const std::vector<Tensor> theirs = grad({cross_entropy(library.logits, next)}, trained);

  const auto part = [&](std::size_t i, const Shape& shape) {
    return Part{inputs[i].detach().reshape(shape), gradients[i].reshape(shape)};
  };
  Inside inside{part(0, {-1}),
                part(1, {T, -1}),
                score ? part(2, {-1}) : Part(),
                part(3, {-1}),
                part(4, {-1}),
                {},
                part(5, {-1}),
                part(6, {-1}),
                p[0],
                loss.item(),
                {},
                std::max(largest_difference(cell.after, library.state["s"]),
                         largest_difference(p, softmax(library.logits))),
                0};
  for (std::size_t i = 0; i < cell.gates.size(); ++i)
    inside.gates.emplace_back(cell.gates[i].first, part(i + 7, {-1}));
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Tensor& gradient = gradients[static_cast<std::size_t>(parts) + i];
    inside.parameters.emplace_back(parameters[i].first, gradient);
    inside.gradient_difference =
        std::max(inside.gradient_difference, largest_difference(gradient, theirs[i]));
  }
  return inside;
}

}  // namespace gradus::web
