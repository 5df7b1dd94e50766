#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/nn/init.hpp>
#include <gradus/nn/recurrent.hpp>

#include <string>
#include <utility>

namespace gradus::nn {
namespace {

// The parameters of one cell or direction; add(name, tensor) registers each.
template <class Add>
RecurrentWeights make_weights(const char* operation, std::int64_t gates, std::int64_t inputs,
                              std::int64_t hidden, bool bias, const std::string& suffix, Add add) {
  if (inputs < 1 || hidden < 1) {
    fail(operation, "needs inputs and a state of at least 1 each, and got ", inputs, " and ", hidden);
  }
  const auto parameter = [&](const char* name, const Shape& shape) {
    return add(name + suffix, uniform_fan_in(shape, hidden));
  };
  const auto bias_of = [&](const char* name) { return bias ? parameter(name, {gates * hidden}) : Tensor(); };
  return {parameter("weight_ih", {gates * hidden, inputs}), parameter("weight_hh", {gates * hidden, hidden}),
          bias_of("bias_ih"), bias_of("bias_hh")};
}

// Checks the parts of a state, called by these names; those that are undefined become zeros.
void complete(const char* operation, RecurrentState& state, std::initializer_list<const char*> names,
              const Shape& shape, Dtype dtype) {
  auto name = names.begin();
  for (Tensor& part : state) {
    if (!part.defined()) part = zeros(shape, dtype);
    if (part.shape() != shape) {
      fail(operation, "the state ", *name, " is ", part.shape(), " and must be ", shape);
    }
    ++name;
  }
}

struct DirectionResult {
  Tensor output;        // h after each token, in the tokens' order: (T, B, H)
  RecurrentState last;  // after the last token, or the first one backward
};

DirectionResult run_direction(const RecurrentStep& step, bool backward, const Tensor& x_parts,
                              const Tensor& lengths, RecurrentState state) {
  const std::int64_t T = x_parts.size(0);
  std::vector<Tensor> states(static_cast<std::size_t>(T));
  for (std::int64_t i = 0; i < T; ++i) {
    const std::int64_t t = backward ? T - 1 - i : i;
    state = step(x_parts[t], state, lengths, t);
    states[static_cast<std::size_t>(t)] = state[0];
  }
  return {stack(states), std::move(state)};
}

// x (T, B, ·), and 0 from each row's length on.
Tensor zero_padding(const Tensor& x, const Tensor& lengths) {
  if (!lengths.defined()) return x;
  const Tensor token = arange(x.size(0)).reshape({-1, 1, 1});
  return where(greater(lengths.reshape({1, -1, 1}), token), x, zeros({1}, x.dtype()));
}

}  // namespace

Tensor unless_ended(const Tensor& updated, const Tensor& before, const Tensor& lengths, std::int64_t t) {
  if (!lengths.defined()) return updated;
  const Tensor running = greater(lengths, full({1}, static_cast<double>(t), Dtype::i64));  // (B)
  return where(running.reshape({-1, 1}), updated, before);
}

RecurrentCell::RecurrentCell(const char* name, std::int64_t gates, std::int64_t inputs, std::int64_t hidden,
                             bool bias)
    : operation_(name),
      weights_(make_weights(name, gates, inputs, hidden, bias, "",
                            [this](auto... parameter) { return add_parameter(parameter...); })) {}

RecurrentState RecurrentCell::advance(const RecurrentKind& kind, const Tensor& x,
                                      RecurrentState state) const {
  if (x.rank() != 2 || x.size(1) != weight_ih.size(1)) {
    fail(operation_, "the input is ", x.shape(), " and must be (B, ", weight_ih.size(1), ")");
  }
  complete(operation_, state, {"h", "c"}, {x.size(0), weight_hh.size(1)}, x.dtype());
  return kind(weights_)(linear(x, weight_ih, bias_ih), state, Tensor(), 0);
}

Recurrent::Recurrent(const char* name, std::int64_t gates, std::int64_t inputs, std::int64_t hidden,
                     const RecurrentLayout& layout)
    : operation_(name), inputs_(inputs), hidden_(hidden), layout_(layout) {
  if (layout.layers < 1) fail(name, "needs at least 1 layer, and got ", layout.layers);
  if (!(layout.dropout >= 0 && layout.dropout < 1)) {
    fail(name, "the dropout must be in [0, 1), and is ", layout.dropout);
  }
  if (layout.dropout > 0 && layout.layers == 1) {
    fail(name, "dropout acts between layers, and there is only one; use more, or nn::Dropout on the output");
  }
  for (std::int64_t layer = 0; layer < layout.layers; ++layer) {
    for (int direction = 0; direction < directions(); ++direction) {
      weights_.push_back(make_weights(name, gates, layer == 0 ? inputs : directions() * hidden, hidden,
                                      layout.bias,
                                      "_l" + std::to_string(layer) + (direction == 0 ? "" : "_reverse"),
                                      [this](auto... parameter) { return add_parameter(parameter...); }));
    }
  }
}

Recurrent::Result Recurrent::run(const RecurrentKind& kind, const Tensor& x, const Tensor& lengths,
                                 RecurrentState first) const {
  const int time = layout_.batch_first ? 1 : 0;
  if (x.rank() != 3 || x.size(2) != inputs_ || x.size(time) == 0) {
    fail(operation_, "the input is ", x.shape(), " and must be ", layout_.batch_first ? "(B, T, " : "(T, B, ",
         inputs_, ") with T of at least 1");
  }
  const std::int64_t B = x.size(1 - time);
  check_lengths(operation_, lengths, B, x.size(time));
  complete(operation_, first, {"h_0", "c_0"}, {std::ssize(weights_), B, hidden_}, x.dtype());

  LastStates last(first.size());
  Tensor output = layout_.batch_first ? transpose(x, 0, 1) : x;  // (T, B, ·), of each layer in turn
  for (std::int64_t layer = 0; layer < layout_.layers; ++layer) {
    if (layer > 0 && layout_.dropout > 0 && is_training()) {
      output = dropout(output, layout_.dropout, default_generator());
    }
    output = run_layer(kind, layer, output, lengths, first, last);
  }
  output = zero_padding(output, lengths);
  Result result{layout_.batch_first ? transpose(output, 0, 1) : output, {}};
  for (const std::vector<Tensor>& part : last) result.last.push_back(stack(part));
  return result;
}

Tensor Recurrent::run_layer(const RecurrentKind& kind, std::int64_t layer, const Tensor& x,
                            const Tensor& lengths, const RecurrentState& first, LastStates& last) const {
  std::vector<Tensor> outputs;
  for (int direction = 0; direction < directions(); ++direction) {
    const std::int64_t i = layer * directions() + direction;
    const RecurrentWeights& p = weights_[static_cast<std::size_t>(i)];
    RecurrentState state;
    for (const Tensor& part : first) state.push_back(part[i]);
    const Tensor x_parts = linear(x, p.weight_ih, p.bias_ih);  // (T, B, G·H): one product for all steps
    const DirectionResult result = run_direction(kind(p), direction == 1, x_parts, lengths, std::move(state));
    outputs.push_back(result.output);
    for (std::size_t part = 0; part < last.size(); ++part) last[part].push_back(result.last[part]);
  }
  return outputs.size() == 1 ? outputs[0] : concat(outputs, 2);
}

}  // namespace gradus::nn
