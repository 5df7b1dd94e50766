#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/nn/embedding.hpp>
#include <gradus/nn/linear.hpp>
#include <gradus/nn/lstm.hpp>

#include <algorithm>
#include <array>
#include <utility>

#include "answer.hpp"

using namespace gradus;
using nn::Memory;
using nn::State;

namespace {

using HC = std::pair<Tensor, Tensor>;  // h and c, (B, H) each

// --- A cell and a decoder with replaceable parts. Each attempt replaces one part ---

struct Gates {
  Tensor i, f, g, o;  // (B, H), pre-activations
};

class Cell;
struct CellParts {
  std::array<int, 4> blocks{0, 1, 2, 3};  // block index of each gate: i, f, g, o
  std::function<Tensor(const Cell&, const Tensor& x, const Tensor& h)> sums = nullptr;  // (B, 4H)
  std::function<HC(const Gates& gates, const Tensor& h, const Tensor& c)> update = nullptr;
  bool bias = true, transposed = false;
};

Tensor next_cell(const Gates& k, const Tensor& c) { return sigmoid(k.f) * c + sigmoid(k.i) * tanh(k.g); }
HC shown(const Gates& k, const Tensor& next) { return {sigmoid(k.o) * tanh(next), next}; }

class Cell : public nn::Module {
 public:
  Cell(std::int64_t inputs, std::int64_t hidden, CellParts parts)
      : weight_ih(add_parameter("weight_ih",
                                parts.transposed ? ones({inputs, 4 * hidden}) : ones({4 * hidden, inputs}))),
        weight_hh(add_parameter("weight_hh", ones({4 * hidden, hidden}))),
        parts_(std::move(parts)) {
    if (!parts_.bias) return;
    bias_ih = add_parameter("bias_ih", ones({4 * hidden}));
    bias_hh = add_parameter("bias_hh", ones({4 * hidden}));
  }

  HC forward(const Tensor& x, const Tensor& h, const Tensor& c) const {
    const std::int64_t H = h.size(1);
    const Tensor sums = parts_.sums ? parts_.sums(*this, x, h)
                                    : linear(x, weight_ih, bias_ih) + linear(h, weight_hh, bias_hh);
    const auto block = [&](std::size_t gate) {
      return sums.slice(parts_.blocks[gate] * H, (parts_.blocks[gate] + 1) * H, 1);
    };
    const Gates gates{block(0), block(1), block(2), block(3)};
    return parts_.update ? parts_.update(gates, h, c) : shown(gates, next_cell(gates, c));
  }

  Tensor weight_ih, weight_hh, bias_ih, bias_hh;

 private:
  CellParts parts_;
};

class Decoder;
struct DecoderParts {
  CellParts cell = {};
  std::function<State(const Decoder&, const nn::Annotations&)> first = nullptr;
  std::function<Tensor(const State&)> query = [](const State& s) { return s["h"]; };
  std::function<Tensor(const Tensor& y, const Tensor& z)> input = [](const Tensor& y, const Tensor& z) {
    return concat({y, z}, 1);
  };
  std::function<Tensor(const Tensor& y, const Tensor& ids)> embedded = [](auto& y, auto&) { return y; };
  std::function<std::int64_t(const State&)> step = [](const State& s) { return s.step(); };
  std::function<HC(const State&)> before = [](const State& s) { return HC{s["h"], s["c"]}; };
  std::function<State(const State& before, const Tensor& h, const Tensor& c)> after =
      [](auto& s, auto& h, auto& c) { return State({{"h", h}, {"c", c}}, s.step() + 1); };
  std::function<Tensor(const State& before, const Tensor& h, const Tensor& c, const Tensor& z,
                       const Tensor& y)>
      read = [](auto&, auto& h, auto&, auto& z, auto& y) { return concat({h, z, y}, 1); };
  std::function<Tensor(const Tensor& logits)> logits = [](auto& x) { return x; };
  std::function<Tensor(const Tensor& alpha)> weights = [](auto& alpha) { return alpha; };
};

class Decoder : public nn::DecoderStep {
 public:
  Decoder(const LstmAnswer::Sizes& n, std::unique_ptr<nn::Attention> given, const DecoderParts& parts)
      : embedding(n.vocabulary, n.embedding),
        W_s(n.annotation / 2, 2 * n.hidden, false),
        cell(n.embedding + n.annotation, n.hidden, parts.cell),
        W_o(n.hidden + n.annotation + n.embedding, n.vocabulary),
        attention(std::move(given)),
        H(n.hidden),
        parts_(parts) {
    add_module("embedding", embedding);
    add_module("W_s", W_s);
    add_module("cell", cell);
    add_module("W_o", W_o);
    add_module("attention", *attention);
  }

  Start start(const nn::Annotations& annotations) const override {
    const Tensor both = tanh(W_s.forward(annotations.first_backward));  // (B, 2H)
    return {parts_.first ? parts_.first(*this, annotations)
                         : State({{"h", both.slice(0, H, 1)}, {"c", both.slice(H, 2 * H, 1)}}),
            attention->prepare(annotations.h, annotations.lengths)};
  }

  Output step(const Tensor& previous, const State& state, const Memory& memory) const override {
    const Tensor y = parts_.embedded(embedding.forward(previous), previous);
    const nn::Attention::Result seen =
        attention->attend(parts_.query(state), memory, parts_.step(state), Tensor());
    const HC before = parts_.before(state);
    const HC next = cell.forward(parts_.input(y, seen.context), before.first, before.second);
    return {parts_.logits(W_o.forward(parts_.read(state, next.first, next.second, seen.context, y))),
            parts_.after(state, next.first, next.second), parts_.weights(seen.weights)};
  }

  nn::Embedding embedding;
  nn::Linear W_s;
  Cell cell;
  nn::Linear W_o;
  std::unique_ptr<nn::Attention> attention;
  std::int64_t H;

 private:
  DecoderParts parts_;
};

exercise::Attempt attempt(const std::string& name, const std::string& mistake, const DecoderParts& parts) {
  return {name, mistake,
          lstm_decoder_exercise(
              {.cell =
                   [parts](std::int64_t inputs, std::int64_t hidden) {
                     const auto cell = std::make_shared<Cell>(inputs, hidden, parts.cell);
                     return LstmAnswer::Cell{cell, [cell](const auto& x, const auto& h, const auto& c) {
                                               return cell->forward(x, h, c);
                                             }};
                   },
               .decoder =
                   [parts](const LstmAnswer::Sizes& n, std::unique_ptr<nn::Attention> attention) {
                     return std::make_unique<Decoder>(n, std::move(attention), parts);
                   }})};
}

exercise::Attempt wrong_cell(const std::string& name, const std::string& mistake, const CellParts& parts) {
  return attempt(name, mistake, {.cell = parts});
}

// --- Correct solutions ---

// The library's LSTM cell, with the interface that the exercise requires.
class LibraryCell : public nn::LSTMCell {
 public:
  LibraryCell(std::int64_t inputs, std::int64_t hidden) : nn::LSTMCell(inputs, hidden) {}
  HC forward(const Tensor& x, const Tensor& h, const Tensor& c) const {
    const auto [h_after, c_after] = nn::LSTMCell::forward(x, h, c);
    return {h_after, c_after};
  }
};

// Computes gate by gate, with separate rows of the weights.
class GateByGate : public nn::Module {
 public:
  GateByGate(std::int64_t inputs, std::int64_t hidden)
      : weight_ih(add_parameter("weight_ih", ones({4 * hidden, inputs}))),
        weight_hh(add_parameter("weight_hh", ones({4 * hidden, hidden}))),
        bias_ih(add_parameter("bias_ih", ones({4 * hidden}))),
        bias_hh(add_parameter("bias_hh", ones({4 * hidden}))),
        H(hidden) {}
  HC forward(const Tensor& x, const Tensor& h, const Tensor& c) const {
    const Tensor kept = sigmoid(sum_of(1, x, h)) * c;
    const Tensor next = kept + tanh(sum_of(2, x, h)) * sigmoid(sum_of(0, x, h));
    return {tanh(next) * sigmoid(sum_of(3, x, h)), next};
  }

 private:
  Tensor sum_of(std::int64_t gate, const Tensor& x, const Tensor& h) const {
    const auto rows = [&](const Tensor& all) { return all.slice(gate * H, (gate + 1) * H); };
    return matmul(x, transpose(rows(weight_ih), 0, 1)) + matmul(h, transpose(rows(weight_hh), 0, 1)) +
           rows(bias_ih) + rows(bias_hh);
  }

  Tensor weight_ih, weight_hh, bias_ih, bias_hh;
  std::int64_t H;
};

// Computes one product of [W_ih W_hh] with [x; h], and one sigmoid for i, f and o.
class OneProduct : public nn::Module {
 public:
  OneProduct(std::int64_t inputs, std::int64_t hidden)
      : weight_ih(add_parameter("weight_ih", ones({4 * hidden, inputs}))),
        weight_hh(add_parameter("weight_hh", ones({4 * hidden, hidden}))),
        bias_ih(add_parameter("bias_ih", ones({4 * hidden}))),
        bias_hh(add_parameter("bias_hh", ones({4 * hidden}))) {}
  HC forward(const Tensor& x, const Tensor& h, const Tensor& c) const {
    const std::int64_t B = h.size(0), H = h.size(1);
    const Tensor sums =
        linear(concat({x, h}, 1), concat({weight_ih, weight_hh}, 1), bias_ih + bias_hh).reshape({B, 4, H});
    const std::vector<Tensor> parts = split(sums, {2, 1, 1}, 1);
    const Tensor gates = sigmoid(concat({parts[0], parts[2]}, 1));  // (B, 3, H)
    const auto gate = [&](std::int64_t k) { return squeeze(gates.slice(k, k + 1, 1), 1); };
    const Tensor next = gate(0) * squeeze(tanh(parts[1]), 1) + gate(1) * c;
    return {gate(2) * tanh(next), next};
  }

 private:
  Tensor weight_ih, weight_hh, bias_ih, bias_hh;
};

// Computes σ(x) as (1 + tanh(x/2))/2, on transposed pre-activations.
class ByTanh : public nn::Module {
 public:
  ByTanh(std::int64_t inputs, std::int64_t hidden)
      : weight_ih(add_parameter("weight_ih", ones({4 * hidden, inputs}))),
        weight_hh(add_parameter("weight_hh", ones({4 * hidden, hidden}))),
        bias_ih(add_parameter("bias_ih", ones({4 * hidden}))),
        bias_hh(add_parameter("bias_hh", ones({4 * hidden}))) {}
  HC forward(const Tensor& x, const Tensor& h, const Tensor& c) const {
    const Tensor rows = matmul(weight_ih, transpose(x, 0, 1)) + matmul(weight_hh, transpose(h, 0, 1)) +
                        unsqueeze(bias_ih + bias_hh, 1);                     // (4H, B)
    const Tensor gates = transpose(rows.reshape({4, h.size(1), -1}), 1, 2);  // (4, B, H)
    const auto open = [&](std::int64_t k) { return (1.0 + tanh(gates[k] / 2.0)) / 2.0; };
    const Tensor next = open(1) * c + open(0) * tanh(gates[2]);
    return {open(3) * tanh(next), next};
  }

 private:
  Tensor weight_ih, weight_hh, bias_ih, bias_hh;
};

// A decoder for any cell. Computes the logits with three products. Its state holds a third tensor.
template <class AnyCell>
class Around : public nn::DecoderStep {
 public:
  Around(std::int64_t V, std::int64_t D, std::int64_t E, std::int64_t H, std::unique_ptr<nn::Attention> given)
      : embedding_(V, E),
        W_s_(D / 2, 2 * H, false),
        cell_(E + D, H),
        W_o_(H + D + E, V),
        attention_(std::move(given)) {
    add_module("attention", *attention_);
    add_module("W_o", W_o_);
    add_module("cell", cell_);
    add_module("W_s", W_s_);
    add_module("embedding", embedding_);
  }
  Start start(const nn::Annotations& annotations) const override {
    const std::int64_t H = W_s_.weight.size(0) / 2;
    const auto part = [&](std::int64_t begin) {
      return tanh(linear(annotations.first_backward, W_s_.weight.slice(begin, begin + H)));
    };
    return {State({{"c", part(H)}, {"h", part(0)}, {"weights", Tensor()}}),
            attention_->prepare(annotations.h, annotations.lengths)};
  }
  Output step(const Tensor& previous, const State& state, const Memory& memory) const override {
    const auto [z, alpha] = attention_->attend(state["h"], memory, state.step(), state.find("weights"));
    const Tensor y = gradus::embedding(embedding_.weight, previous);
    const auto [h, c] = cell_.forward(concat({y, z}, -1), state["h"], state["c"]);
    const std::vector<Tensor> W = split(W_o_.weight, {h.size(1), z.size(1), y.size(1)}, 1);
    return {linear(h, W[0]) + linear(z, W[1]) + linear(y, W[2], W_o_.bias),
            State({{"c", c}, {"h", h}, {"weights", alpha}}, state.step() + 1), alpha};
  }

 private:
  nn::Embedding embedding_;
  nn::Linear W_s_;
  AnyCell cell_;
  nn::Linear W_o_;
  std::unique_ptr<nn::Attention> attention_;
};

template <class AnyCell>
exercise::Attempt right(const std::string& name) {
  return {name, "", lstm_decoder_exercise(lstm_answer<AnyCell, Around<AnyCell>>())};
}

// --- Other wrong solutions ---

// Attends again, with the new state. The logits use the new context. The weights in the result are the new
// ones if `returned` is true, else those of the first attention.
template <bool returned>
class LooksAgain : public Decoder {
 public:
  LooksAgain(std::int64_t V, std::int64_t D, std::int64_t E, std::int64_t hidden,
             std::unique_ptr<nn::Attention> given)
      : Decoder({V, D, E, hidden}, std::move(given), {}) {}
  Output step(const Tensor& previous, const State& state, const Memory& memory) const override {
    Output output = Decoder::step(previous, state, memory);
    const Tensor& h = output.state["h"];
    const auto [z, alpha] = attention->attend(h, memory, state.step(), Tensor());
    output.logits = W_o.forward(concat({h, z, embedding.forward(previous)}, 1));
    if (returned) output.weights = alpha;
    return output;
  }
};

class CellInMember : public Decoder {
 public:
  CellInMember(std::int64_t V, std::int64_t D, std::int64_t E, std::int64_t hidden,
               std::unique_ptr<nn::Attention> given)
      : Decoder({V, D, E, hidden}, std::move(given), {}) {}
  Output step(const Tensor& previous, const State& state, const Memory& memory) const override {
    const Tensor c = c_.defined() ? c_ : state["c"];
    Output output = Decoder::step(previous, State({{"h", state["h"]}, {"c", c}}, state.step()), memory);
    c_ = output.state["c"].detach();
    return output;
  }

 private:
  mutable Tensor c_;
};

// Keeps c in a member. Steps 0 and 1 use the state's c, later steps use the member.
class CellInMemberLater : public Decoder {
 public:
  CellInMemberLater(std::int64_t V, std::int64_t D, std::int64_t E, std::int64_t hidden,
                    std::unique_ptr<nn::Attention> given)
      : Decoder({V, D, E, hidden}, std::move(given), {}) {}
  Output step(const Tensor& previous, const State& state, const Memory& memory) const override {
    const bool fits = state.step() >= 2 && c_.defined() && c_.shape() == state["c"].shape();
    const State used({{"h", state["h"]}, {"c", fits ? c_ : state["c"]}}, state.step());
    Output output = Decoder::step(previous, used, memory);
    c_ = output.state["c"].detach();
    return output;
  }

 private:
  mutable Tensor c_;
};

// A Decoder without replaced parts. Its subclasses override start(), step() or both.
class Like : public Decoder {
 public:
  Like(std::int64_t V, std::int64_t D, std::int64_t E, std::int64_t hidden,
       std::unique_ptr<nn::Attention> given)
      : Decoder({V, D, E, hidden}, std::move(given), {}) {}
};

class MemoryInMember : public Like {
 public:
  using Like::Like;
  Start start(const nn::Annotations& annotations) const override {
    const Start first = Decoder::start(annotations);
    memory_ = first.memory;
    return first;
  }
  Output step(const Tensor& previous, const State& state, const Memory& given) const override {
    const bool fits = memory_.values.defined() && memory_.values.shape() == given.values.shape();
    return Decoder::step(previous, state, fits ? memory_ : given);
  }

 private:
  mutable Memory memory_;
};

class StartInMember : public Like {
 public:
  using Like::Like;
  Start start(const nn::Annotations& annotations) const override {
    const Start first = Decoder::start(annotations);
    if (state_.tensors().empty() || state_["h"].shape() != first.state["h"].shape()) state_ = first.state;
    return {state_, first.memory};
  }

 private:
  mutable State state_;
};

class StepInMember : public Like {
 public:
  using Like::Like;
  Start start(const nn::Annotations& annotations) const override {
    step_ = 0;
    return Decoder::start(annotations);
  }
  Output step(const Tensor& previous, const State& state, const Memory& memory) const override {
    Output output = Decoder::step(previous, State(state.tensors(), step_++), memory);
    output.state = State(output.state.tensors(), state.step() + 1);
    return output;
  }

 private:
  mutable std::int64_t step_ = 0;
};

class NoLengths : public Like {
 public:
  using Like::Like;
  Start start(const nn::Annotations& annotations) const override {
    return {Decoder::start(annotations).state, attention->prepare(annotations.h, Tensor())};
  }
};

class NoLengthsForOne : public Like {
 public:
  using Like::Like;
  Start start(const nn::Annotations& annotations) const override {
    const Tensor lengths = annotations.h.size(1) == 1 ? Tensor() : annotations.lengths;
    return {Decoder::start(annotations).state, attention->prepare(annotations.h, lengths)};
  }
};

class DetachesAtTimes : public Like {
 public:
  using Like::Like;
  Output step(const Tensor& previous, const State& state, const Memory& memory) const override {
    if (state.step() % 5 != 4) return Decoder::step(previous, state, memory);
    return Decoder::step(
        previous, State({{"h", state["h"].detach()}, {"c", state["c"].detach()}}, state.step()), memory);
  }
};

class NoWeightsAtFirst : public Like {
 public:
  using Like::Like;
  Output step(const Tensor& previous, const State& state, const Memory& memory) const override {
    Output output = Decoder::step(previous, state, memory);
    if (state.step() == 0) output.weights = zeros(output.weights.shape(), output.weights.dtype());
    return output;
  }
};

class DropsOut : public Like {
 public:
  using Like::Like;
  Output step(const Tensor& previous, const State& state, const Memory& memory) const override {
    Output output = Decoder::step(previous, state, memory);
    if (is_training()) output.logits = dropout(output.logits, 0.1, default_generator());
    return output;
  }
};

std::vector<exercise::Attempt> right_ones() {
  return {attempt("replaceable parts", "", {}), right<LibraryCell>("the library's cell"),
          right<GateByGate>("gate by gate"), right<OneProduct>("one product"),
          right<ByTanh>("sigmoid by tanh, batch last")};
}

std::vector<exercise::Attempt> wrong_weights() {
  const auto biases = [](const std::function<Tensor(const Cell&)>& bias) {
    return CellParts{.sums = [bias](const Cell& cell, const Tensor& x, const Tensor& h) {
      return linear(x, cell.weight_ih) + linear(h, cell.weight_hh) + bias(cell);
    }};
  };
  // b with its second quarter (the forget gate) multiplied by `times`.
  const auto forget = [](const Tensor& b, double times) {
    const std::int64_t H = b.size(0) / 4;
    return concat({b.slice(0, H), times * b.slice(H, 2 * H), b.slice(2 * H, 4 * H)}, 0);
  };
  return {
      wrong_cell("no biases at all", "parameters", {.bias = false}),
      wrong_cell("weight_ih transposed", "parameter-shape", {.transposed = true}),
      wrong_cell("i, f, o, g", "gate-order", {.blocks = {0, 1, 3, 2}}),
      wrong_cell("i, g, f, o", "gate-order", {.blocks = {0, 2, 1, 3}}),
      wrong_cell("f, i, g, o", "gate-order", {.blocks = {1, 0, 2, 3}}),
      wrong_cell("o, f, g, i", "gate-order", {.blocks = {3, 1, 2, 0}}),
      wrong_cell("forget bias twice", "forget-bias",
                 biases([forget](const Cell& cell) { return forget(cell.bias_ih, 2) + cell.bias_hh; })),
      wrong_cell("both forget biases twice", "forget-bias",
                 biases([forget](const Cell& cell) { return forget(cell.bias_ih + cell.bias_hh, 2); })),
      wrong_cell("only one bias", "bias-missing", biases([](const Cell& cell) { return cell.bias_ih; })),
      wrong_cell("gates interleaved", "gates-interleaved",
                 {.sums =
                      [](auto& cell, auto& x, auto& h) {
                        const Tensor s =
                            linear(x, cell.weight_ih, cell.bias_ih) + linear(h, cell.weight_hh, cell.bias_hh);
                        const std::int64_t B = h.size(0), H = h.size(1);
                        return transpose(s.reshape({B, H, 4}), 1, 2).reshape({B, 4 * H});
                      }}),
      wrong_cell("dropout on h in training", "training-differs",
                 {.sums =
                      [](auto& cell, auto& x, auto& h) {
                        const Tensor kept = cell.is_training() ? dropout(h, 0.5, default_generator()) : h;
                        return linear(x, cell.weight_ih, cell.bias_ih) +
                               linear(kept, cell.weight_hh, cell.bias_hh);
                      }}),
      wrong_cell("weights of the first call", "remembers",
                 {.sums =
                      [sums = Tensor()](const Cell& cell, const Tensor& x, const Tensor& h) mutable {
                        if (!sums.defined()) sums = cell.weight_hh.clone();
                        return linear(x, cell.weight_ih, cell.bias_ih) + linear(h, sums, cell.bias_hh);
                      }}),
      wrong_cell("h not used", "no-recurrence",
                 {.sums = [](auto& cell, auto& x,
                             auto&) { return linear(x, cell.weight_ih, cell.bias_ih + cell.bias_hh); }}),
      wrong_cell("x and h exchanged", "error",
                 {.sums =
                      [](auto& cell, auto& x, auto& h) {
                        return linear(h, cell.weight_ih, cell.bias_ih) +
                               linear(x, cell.weight_hh, cell.bias_hh);
                      }}),
      wrong_cell("weights detached", "gradient",
                 {.sums =
                      [](auto& cell, auto& x, auto& h) {
                        return linear(x, cell.weight_ih, cell.bias_ih) +
                               linear(h, cell.weight_hh.detach(), cell.bias_hh);
                      }}),
  };
}

std::vector<exercise::Attempt> wrong_updates() {
  const auto update = [](const std::function<HC(const Gates&, const Tensor& h, const Tensor& c)>& f) {
    return CellParts{.update = f};
  };
  return {
      wrong_cell("1 added to the forget gate", "forget-bias", update([](auto& k, auto&, auto& c) {
                   return shown(k, sigmoid(k.f + 1.0) * c + sigmoid(k.i) * tanh(k.g));
                 })),
      wrong_cell("no tanh(c)", "no-tanh-of-cell", update([](auto& k, auto&, auto& c) {
                   const Tensor next = next_cell(k, c);
                   return HC{sigmoid(k.o) * next, next};
                 })),
      wrong_cell("sigmoid for g", "sigmoid-g", update([](auto& k, auto&, auto& c) {
                   return shown(k, sigmoid(k.f) * c + sigmoid(k.i) * sigmoid(k.g));
                 })),
      wrong_cell("tanh for the output gate", "tanh-output-gate", update([](auto& k, auto&, auto& c) {
                   const Tensor next = next_cell(k, c);
                   return HC{tanh(k.o) * tanh(next), next};
                 })),
      wrong_cell("i ∘ g subtracted", "subtracted", update([](auto& k, auto&, auto& c) {
                   return shown(k, sigmoid(k.f) * c - sigmoid(k.i) * tanh(k.g));
                 })),
      wrong_cell("h′ from g", "candidate-shown", update([](auto& k, auto&, auto& c) {
                   return HC{sigmoid(k.o) * tanh(tanh(k.g)), next_cell(k, c)};
                 })),
      wrong_cell("tanh for the gates", "tanh-gates", update([](auto& k, auto&, auto& c) {
                   const Tensor next = tanh(k.f) * c + tanh(k.i) * tanh(k.g);
                   return HC{tanh(k.o) * tanh(next), next};
                 })),
      wrong_cell("no forget gate", "no-forget-gate",
                 update([](auto& k, auto&, auto& c) { return shown(k, c + sigmoid(k.i) * tanh(k.g)); })),
      wrong_cell("no input gate", "no-input-gate",
                 update([](auto& k, auto&, auto& c) { return shown(k, sigmoid(k.f) * c + tanh(k.g)); })),
      wrong_cell("a GRU's gates", "coupled-gates", update([](auto& k, auto&, auto& c) {
                   const Tensor f = sigmoid(k.f);
                   return shown(k, f * c + (1.0 - f) * tanh(k.g));
                 })),
      wrong_cell("1 - f for f", "forget-inverted", update([](auto& k, auto&, auto& c) {
                   return shown(k, (1.0 - sigmoid(k.f)) * c + sigmoid(k.i) * tanh(k.g));
                 })),
      wrong_cell("c not used", "cell-unused",
                 update([](auto& k, auto&, auto&) { return shown(k, sigmoid(k.i) * tanh(k.g)); })),
      wrong_cell("old c returned", "cell-unchanged",
                 update([](auto& k, auto&, auto& c) { return HC{shown(k, next_cell(k, c)).first, c}; })),
      wrong_cell("output gate on c", "output-gate-on-cell", update([](auto& k, auto&, auto& c) {
                   const Tensor next = sigmoid(k.o) * next_cell(k, c);
                   return HC{tanh(next), next};
                 })),
      wrong_cell("h from the old c", "old-cell-shown",
                 update([](auto& k, auto&, auto& c) { return HC{sigmoid(k.o) * tanh(c), next_cell(k, c)}; })),
      wrong_cell("1 - i for f", "coupled-gates", update([](auto& k, auto&, auto& c) {
                   const Tensor i = sigmoid(k.i);
                   return shown(k, (1.0 - i) * c + i * tanh(k.g));
                 })),
      wrong_cell("peephole", "peephole", update([](auto& k, auto&, auto& c) {
                   const Tensor next = next_cell(k, c);
                   return HC{sigmoid(k.o + next) * tanh(next), next};
                 })),
      wrong_cell("no output gate", "no-output-gate", update([](auto& k, auto&, auto& c) {
                   const Tensor next = next_cell(k, c);
                   return HC{tanh(next), next};
                 })),
      wrong_cell("output gate inside", "output-gate-inside", update([](auto& k, auto&, auto& c) {
                   const Tensor next = next_cell(k, c);
                   return HC{tanh(sigmoid(k.o) * next), next};
                 })),
      wrong_cell("{c, h}", "state-swapped", update([](auto& k, auto&, auto& c) {
                   const auto [h, next] = shown(k, next_cell(k, c));
                   return HC{next, h};
                 })),
      wrong_cell("h for c", "state-for-cell",
                 update([](auto& k, auto& h, auto&) { return shown(k, next_cell(k, h)); })),
      wrong_cell("c detached", "gradient",
                 update([](auto& k, auto&, auto& c) { return shown(k, next_cell(k, c.detach())); })),
      wrong_cell("c clipped to [−1, 1]", "clipped",
                 update([](auto& k, auto&, auto& c) { return shown(k, clamp(next_cell(k, c), -1, 1)); })),
      wrong_cell("c clipped to [−3, 3]", "large-values",
                 update([](auto& k, auto&, auto& c) { return shown(k, clamp(next_cell(k, c), -3, 3)); })),
      wrong_cell("f and i exchanged", "gate-order", update([](auto& k, auto&, auto& c) {
                   return shown(k, sigmoid(k.i) * c + sigmoid(k.f) * tanh(k.g));
                 })),
      wrong_cell("noise on h", "not-deterministic", update([](auto& k, auto&, auto& c) {
                   const auto [h, next] = shown(k, next_cell(k, c));
                   Generator& generator = default_generator();
                   return HC{h + normal(h.shape(), 0, 1e-3, generator, h.dtype()), next};
                 })),
      wrong_cell("summed over the batch", "shape", update([](auto& k, auto&, auto& c) {
                   const auto [h, next] = shown(k, next_cell(k, c));
                   return HC{sum(h, 0), next};
                 })),
  };
}

std::vector<exercise::Attempt> wrong_starts() {
  const auto first = [](const std::function<HC(const Decoder&, const nn::Annotations&)>& f) {
    return DecoderParts{.first = [f](const Decoder& decoder, const nn::Annotations& annotations) {
      const HC state = f(decoder, annotations);
      return State({{"h", state.first}, {"c", state.second}});
    }};
  };
  const auto halves = [](const Tensor& both) {
    const std::int64_t H = both.size(1) / 2;
    return HC{both.slice(0, H, 1), both.slice(H, 2 * H, 1)};
  };
  return {
      attempt("s_0 in place of h_0", "state-names",
              {.first =
                   [halves](auto& decoder, auto& annotations) {
                     const HC hc = halves(tanh(decoder.W_s.forward(annotations.first_backward)));
                     return State({{"s", hc.first}, {"c", hc.second}});
                   }}),
      attempt("c_0 not in the state", "state-names",
              {.first =
                   [halves](auto& decoder, auto& annotations) {
                     return State(
                         {{"h", halves(tanh(decoder.W_s.forward(annotations.first_backward))).first}});
                   }}),
      attempt("starts at step 1", "step-count",
              {.first =
                   [halves](auto& decoder, auto& annotations) {
                     const HC hc = halves(tanh(decoder.W_s.forward(annotations.first_backward)));
                     return State({{"h", hc.first}, {"c", hc.second}}, 1);
                   }}),
      attempt("h_0 of size 2H", "shape", first([](auto& decoder, auto& annotations) {
                const Tensor both = tanh(decoder.W_s.forward(annotations.first_backward));
                return HC{both, both};
              })),
      attempt("h_0 and c_0 swapped", "start-exchanged", first([halves](auto& decoder, auto& annotations) {
                const HC hc = halves(tanh(decoder.W_s.forward(annotations.first_backward)));
                return HC{hc.second, hc.first};
              })),
      attempt("no tanh at the start", "start-without-tanh", first([halves](auto& decoder, auto& annotations) {
                return halves(decoder.W_s.forward(annotations.first_backward));
              })),
      attempt("from the forward state", "start-other-end", first([halves](auto& decoder, auto& annotations) {
                return halves(tanh(decoder.W_s.forward(annotations.last_forward)));
              })),
      attempt("c_0 = 0", "start-zero", first([halves](auto& decoder, auto& annotations) {
                const Tensor h = halves(tanh(decoder.W_s.forward(annotations.first_backward))).first;
                return HC{h, zeros(h.shape(), h.dtype())};
              })),
      attempt("c_0 = h_0", "start-one-part", first([halves](auto& decoder, auto& annotations) {
                const Tensor h = halves(tanh(decoder.W_s.forward(annotations.first_backward))).first;
                return HC{h, h};
              })),
      attempt("(B, 2, H) in place of halves", "start-interleaved",
              first([](auto& decoder, auto& annotations) {
                const Tensor both = tanh(decoder.W_s.forward(annotations.first_backward));
                const Tensor pairs = both.reshape({both.size(0), both.size(1) / 2, 2});
                return HC{squeeze(pairs.slice(0, 1, 2), 2), squeeze(pairs.slice(1, 2, 2), 2)};
              })),
      attempt("from the first annotation", "start-other-end",
              first([halves](auto& decoder, auto& annotations) {
                const std::int64_t half = annotations.first_backward.size(1);
                return halves(tanh(decoder.W_s.forward(annotations.h[0].slice(0, half, 1))));
              })),
      attempt("from the last position", "start-other-end", first([halves](auto& decoder, auto& annotations) {
                const std::int64_t half = annotations.first_backward.size(1);
                return halves(tanh(decoder.W_s.forward(annotations.h[-1].slice(half, 2 * half, 1))));
              })),
      attempt("first state detached", "gradient", first([halves](auto& decoder, auto& annotations) {
                return halves(tanh(decoder.W_s.forward(annotations.first_backward.detach())));
              })),
  };
}

std::vector<exercise::Attempt> wrong_steps() {
  return {
      attempt("no weights", "no-weights", {.weights = [](auto&) { return Tensor(); }}),
      attempt("token 0 embedded as 0", "token-0",
              {.embedded =
                   [](auto& y, auto& ids) {
                     return masked_fill(y, unsqueeze(equal(ids, zeros({}, Dtype::i64)), 1), 0);
                   }}),
      attempt("passes step 0 to attend()", "told-step", {.step = [](auto&) { return 0; }}),
      attempt("passes the next step to attend()", "told-step",
              {.step = [](auto& s) { return s.step() + 1; }}),
      attempt("passes the number of its calls", "told-step",
              {.step = [calls = 0](const State&) mutable { return calls++; }}),
      attempt("returned weights detached", "returned-weights-detached",
              {.weights = [](auto& alpha) { return alpha.detach(); }}),
      attempt("weights of the previous step", "other-weights",
              {.weights =
                   [last = Tensor()](const Tensor& alpha) mutable {
                     const Tensor before = std::exchange(last, alpha);
                     return before.defined() && before.shape() == alpha.shape() ? before : alpha;
                   }}),
      attempt("h in place of E y where the sizes agree", "by-shape",
              {.read = [](auto&, auto& h, auto&, auto& z,
                          auto& y) { return concat({h, z, h.shape() == y.shape() ? h : y}, 1); }}),
      attempt("h kept from step 20 on", "depends-on-step",
              {.after =
                   [](auto& s, auto& h, auto& c) {
                     return State({{"h", s.step() < 20 ? h : s["h"]}, {"c", c}}, s.step() + 1);
                   }}),
      attempt("tanh of the logits", "values", {.logits = [](auto& x) { return tanh(x); }}),
      attempt("c as the query", "query-is-cell", {.query = [](auto& s) { return s["c"]; }}),
      attempt("[z; E y] into the cell", "input-order",
              {.input = [](auto& y, auto& z) { return concat({z, y}, 1); }}),
      attempt("c = 0 at every step", "cell-not-carried",
              {.before = [](auto& s) { return HC{s["h"], zeros(s["c"].shape(), s["c"].dtype())}; }}),
      attempt("h = 0 at every step", "state-not-carried",
              {.before = [](auto& s) { return HC{zeros(s["h"].shape(), s["h"].dtype()), s["c"]}; }}),
      attempt("h and c swapped in the cell's arguments", "state-exchanged",
              {.before = [](auto& s) { return HC{s["c"], s["h"]}; }}),
      attempt("h and c swapped in the new state", "state-exchanged",
              {.after = [](auto& s, auto& h, auto& c) { return State({{"h", c}, {"c", h}}, s.step() + 1); }}),
      attempt("old state returned", "state-unchanged",
              {.after = [](auto& s, auto&, auto&) { return State(s.tensors(), s.step() + 1); }}),
      attempt(
          "c not updated", "cell-unchanged",
          {.after = [](auto& s, auto& h, auto&) { return State({{"h", h}, {"c", s["c"]}}, s.step() + 1); }}),
      attempt("steps not counted", "step-count",
              {.after = [](auto&, auto& h, auto& c) { return State({{"h", h}, {"c", c}}); }}),
      attempt("c dropped from the state", "state-names",
              {.after = [](auto& s, auto& h, auto&) { return State({{"h", h}}, s.step() + 1); }}),
      attempt("state detached", "detached-state",
              {.before = [](auto& s) { return HC{s["h"].detach(), s["c"].detach()}; }}),
      attempt("c of the state detached", "detached-state",
              {.before = [](auto& s) { return HC{s["h"], s["c"].detach()}; }}),
      attempt("logits from h_{t-1}", "readout-of-old-state",
              {.read = [](auto& s, auto&, auto&, auto& z, auto& y) { return concat({s["h"], z, y}, 1); }}),
      attempt("logits from c", "readout-of-cell",
              {.read = [](auto&, auto&, auto& c, auto& z, auto& y) { return concat({c, z, y}, 1); }}),
      attempt("logits from [E y; z; h]", "readout-order",
              {.read = [](auto&, auto& h, auto&, auto& z, auto& y) { return concat({y, z, h}, 1); }}),
      attempt("softmax of the logits", "not-logits", {.logits = [](auto& x) { return softmax(x); }}),
      attempt("log-probabilities", "not-logits", {.logits = [](auto& x) { return log_softmax(x); }}),
      attempt("changes the state in place", "changes-its-input",
              {.after =
                   [](auto& s, auto& h, auto& c) {
                     const auto from = h.template values<double>();
                     std::copy(from.begin(), from.end(), Tensor(s["h"]).mutable_values<double>().begin());
                     return State({{"h", h}, {"c", c}}, s.step() + 1);
                   }}),
      {"attends after the update", "query-after-update",
       lstm_decoder_exercise(lstm_answer<GateByGate, LooksAgain<true>>())},
      {"attends again for the logits", "readout-of-next-context",
       lstm_decoder_exercise(lstm_answer<GateByGate, LooksAgain<false>>())},
      {"c in a member", "remembers", lstm_decoder_exercise(lstm_answer<GateByGate, CellInMember>())},
      {"c in a member from the third step on", "remembers",
       lstm_decoder_exercise(lstm_answer<GateByGate, CellInMemberLater>())},
      {"memory in a member", "remembers", lstm_decoder_exercise(lstm_answer<GateByGate, MemoryInMember>())},
      {"first state in a member", "remembers",
       lstm_decoder_exercise(lstm_answer<GateByGate, StartInMember>())},
      {"step in a member", "told-step", lstm_decoder_exercise(lstm_answer<GateByGate, StepInMember>())},
      {"lengths not passed", "memory", lstm_decoder_exercise(lstm_answer<GateByGate, NoLengths>())},
      {"lengths not passed for a batch of one", "batch-differs",
       lstm_decoder_exercise(lstm_answer<GateByGate, NoLengthsForOne>())},
      {"state detached at every fifth step", "gradient-cut",
       lstm_decoder_exercise(lstm_answer<GateByGate, DetachesAtTimes>())},
      {"weights of 0 at the first step", "other-weights",
       lstm_decoder_exercise(lstm_answer<GateByGate, NoWeightsAtFirst>())},
      {"dropout on the logits", "training-differs",
       lstm_decoder_exercise(lstm_answer<GateByGate, DropsOut>())},
  };
}

}  // namespace

int main() {
  std::vector<exercise::Attempt> attempts;
  for (const auto& some : {right_ones(), wrong_weights(), wrong_updates(), wrong_starts(), wrong_steps()})
    attempts.insert(attempts.end(), some.begin(), some.end());
  return exercise::bank(attempts);
}
