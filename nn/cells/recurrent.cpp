#include <gradus/autograd/checks.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/random.hpp>
#include <gradus/nn/init.hpp>
#include <gradus/nn/recurrent.hpp>

#include <string>
#include <utility>

namespace gradus::nn {
namespace {

// Creates the parameters of a cell, or of one layer in one direction. Registers each with add(name, tensor).
template <class Add>
RecurrentWeights make_weights(const char* operation, std::int64_t gates, std::int64_t inputs,
                              std::int64_t hidden, bool bias, const std::string& suffix, Add add) {
  if (inputs < 1 || hidden < 1) {
    fail(operation, "the sizes of input and state must be at least 1, and are ", inputs, " and ", hidden);
  }
  const auto parameter = [&](const char* name, const Shape& shape) {
    return add(name + suffix, uniform_fan_in(shape, hidden));
  };
  const auto bias_of = [&](const char* name) { return bias ? parameter(name, {gates * hidden}) : Tensor(); };
  return {parameter("weight_ih", {gates * hidden, inputs}), parameter("weight_hh", {gates * hidden, hidden}),
          bias_of("bias_ih"), bias_of("bias_hh")};
}

// Replaces undefined parts of a state by zeros, and checks the shapes of the other parts. `names` are the
// parts' names in messages.
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

}  // namespace

RecurrentCell::RecurrentCell(const char* name, RecurrentKind kind, std::int64_t inputs, std::int64_t hidden,
                             bool bias)
    : operation_(name),
      kind_(std::move(kind)),
      weights_(make_weights(name, kind_.gates, inputs, hidden, bias, "",
                            [this](auto... parameter) { return add_parameter(parameter...); })) {}

RecurrentState RecurrentCell::advance(const Tensor& x, RecurrentState state) const {
  if (x.rank() != 2 || x.size(1) != weight_ih.size(1)) {
    fail(operation_, "the input is ", x.shape(), " and must be (B, ", weight_ih.size(1), ")");
  }
  complete(operation_, state, {"h", "c"}, {x.size(0), weight_hh.size(1)}, x.dtype());
  return kind_.step(weights_, linear(x, weight_ih, bias_ih), state);
}

Recurrent::Recurrent(const char* name, RecurrentKind kind, std::int64_t inputs, std::int64_t hidden,
                     const RecurrentOptions& options)
    : operation_(name), kind_(std::move(kind)), inputs_(inputs), hidden_(hidden), options_(options) {
  if (options.layers < 1) fail(name, "needs at least 1 layer, and got ", options.layers);
  if (!(options.dropout >= 0 && options.dropout < 1)) {
    fail(name, "the dropout must be in [0, 1), and is ", options.dropout);
  }
  if (options.dropout > 0 && options.layers == 1) {
    fail(name,
         "dropout acts between layers, and there is only one layer; use more layers, or nn::Dropout on the "
         "output");
  }
  for (std::int64_t layer = 0; layer < options.layers; ++layer) {
    for (int direction = 0; direction < directions(); ++direction) {
      weights_.push_back(make_weights(name, kind_.gates, layer == 0 ? inputs : directions() * hidden, hidden,
                                      options.bias,
                                      "_l" + std::to_string(layer) + (direction == 0 ? "" : "_reverse"),
                                      [this](auto... parameter) { return add_parameter(parameter...); }));
    }
  }
}

bool Recurrent::drops() const { return options_.dropout > 0 && is_training(); }

void Recurrent::complete_first(RecurrentState& first, std::int64_t batch, Dtype dtype) const {
  if (first.empty()) first.resize(kind_.parts);
  if (first.size() != kind_.parts) {
    fail(operation_, "the first state has ", first.size(), " tensors and must have ", kind_.parts,
         kind_.parts == 1 ? ", h_0" : ", h_0 and c_0", ", or none for zeros");
  }
  complete(operation_, first, {"h_0", "c_0"}, {std::ssize(weights_), batch, hidden_}, dtype);
}

Recurrent::Result Recurrent::run(const Tensor& x, const Tensor& lengths, RecurrentState first) const {
  const Scope scope = enter();
  const int time = options_.batch_first ? 1 : 0;
  if (x.rank() != 3 || x.size(2) != inputs_ || x.size(time) == 0) {
    fail(operation_, "the input is ", x.shape(), " and must be ",
         options_.batch_first ? "(B, T, " : "(T, B, ", inputs_, ") with T of at least 1");
  }
  const std::int64_t B = x.size(1 - time);
  check_lengths(operation_, lengths, B, x.size(time));
  complete_first(first, B, x.dtype());

  const Tensor steps = options_.batch_first ? transpose(x, 0, 1) : x;  // (T, B, I)
  const Packing packing = lengths.defined() ? Packing(lengths) : Packing(steps.size(0), B);
  Result result = run_layers(pack(steps, packing), packing, first);
  result.output = unpack(result.output, packing, steps.size(0));
  if (options_.batch_first) result.output = transpose(result.output, 0, 1);
  return result;
}

Recurrent::Result Recurrent::run_packed(const Tensor& x, const Packing& packing, RecurrentState first) const {
  const Scope scope = enter();
  if (x.rank() != 2 || x.size(1) != inputs_ || x.size(0) != packing.rows() || packing.rows() == 0) {
    fail(operation_, "the packed input is ", x.shape(), " and must be (", packing.rows(), ", ", inputs_,
         ") with at least one row");
  }
  complete_first(first, packing.batch(), x.dtype());
  return run_layers(x, packing, first);
}

RecurrentState Recurrent::step(const Tensor& x, const RecurrentState& before) const {
  const Scope scope = enter();
  const std::size_t L = static_cast<std::size_t>(options_.layers);
  if (options_.bidirectional) {
    fail(operation_, "a bidirectional module cannot run step by step; use run() on the whole sequence");
  }
  if (x.rank() != 2 || x.size(1) != inputs_) {
    fail(operation_, "the input of a step is ", x.shape(), " and must be (B, ", inputs_, ")");
  }
  if (before.size() != kind_.parts * L) {
    fail(operation_, "the state has ", before.size(), " tensors and must have ", kind_.parts * L, ", ",
         kind_.parts == 1 ? "h" : "h and c", " of each layer");
  }
  for (const Tensor& part : before) {
    if (part.shape() != Shape{x.size(0), hidden_}) {
      fail(operation_, "a part of the state is ", part.shape(), " and must be ", Shape{x.size(0), hidden_});
    }
  }
  RecurrentState after(before.size());
  Tensor input = x;
  for (std::size_t layer = 0; layer < L; ++layer) {
    if (layer > 0 && drops()) input = dropout(input, options_.dropout, default_generator());
    const RecurrentWeights& p = weights_[layer];
    RecurrentState state;
    for (std::size_t part = 0; part < kind_.parts; ++part) state.push_back(before[part * L + layer]);
    state = kind_.step(p, linear(input, p.weight_ih, p.bias_ih), state);
    for (std::size_t part = 0; part < kind_.parts; ++part) after[part * L + layer] = state[part];
    input = after[layer];
  }
  return after;
}

Scanned Recurrent::run_steps(const RecurrentWeights& p, const Tensor& x, const RecurrentState& first,
                             const Packing& packing, bool reverse) const {
  const Tensor x_parts = linear(x, p.weight_ih, p.bias_ih);  // one product for all steps
  if (kind_.gated) {
    return recurrent_sequence(*kind_.gated, x_parts, p.weight_hh, p.bias_hh, first, packing, reverse);
  }
  return scan(
      [&](const Tensor& x_part, const RecurrentState& before) { return kind_.step(p, x_part, before); },
      x_parts, first, packing, reverse);
}

Recurrent::Result Recurrent::run_layers(Tensor x, const Packing& packing, const RecurrentState& first) const {
  std::vector<std::vector<Tensor>> last(first.size());  // last[part]: one tensor for each layer and direction
  for (std::int64_t layer = 0; layer < options_.layers; ++layer) {
    if (layer > 0 && drops()) x = dropout(x, options_.dropout, default_generator(), packing);
    std::vector<Tensor> outputs;
    for (int reverse = 0; reverse < directions(); ++reverse) {
      RecurrentState state;
      for (const Tensor& part : first) state.push_back(part[layer * directions() + reverse]);
      Scanned done = run_steps(weights(layer, reverse), x, state, packing, reverse == 1);
      outputs.push_back(std::move(done.states));
      for (std::size_t part = 0; part < last.size(); ++part) last[part].push_back(done.last[part]);
    }
    x = outputs.size() == 1 ? outputs[0] : concat(outputs, -1);
  }
  Result result{std::move(x), {}};
  for (const std::vector<Tensor>& part : last) result.last.push_back(stack(part));
  return result;
}

}  // namespace gradus::nn
