// Properties that every kind of recurrent module must have, with any weights.

#include "nn/recurrent.hpp"

#include <gradus/nn/dropout.hpp>

#include <limits>

namespace nn = gradus::nn;
using gradus::Dtype;
using gradus::Generator;
using gradus::Shape;
using gradus::Tensor;

namespace {

constexpr std::int64_t T = 6, B = 4, I = 3, H = 5, layers = 2, directions = 2;

template <class Kind>
struct Example {
  FusedAndComposed both;
  Generator generator{1};
  Kind net{I, H, {.layers = layers, .bidirectional = true}};
  Tensor x = random({T, B, I}, generator), lengths = integers({3, T, 1, 4});
  FirstStates first{random({layers * directions, B, H}, generator),
                    random({layers * directions, B, H}, generator)};

  Example() { net.to(Dtype::f64); }
};

Tensor forward_half(const Tensor& output) { return output.slice(0, H, 2); }
Tensor backward_half(const Tensor& output) { return output.slice(H, 2 * H, 2); }

/// Elements [begin, end) along one axis of h_0 and of c_0.
FirstStates part_of(const FirstStates& states, std::int64_t begin, std::int64_t end, int axis) {
  return {states[0].slice(begin, end, axis), states[1].slice(begin, end, axis)};
}

/// Checks that two results of a module have equal output, h_n and c_n.
template <class Output>
void check_equal(const Output& actual, const Output& expected, Tolerance tolerance = exactly) {
  for (std::size_t i = 0; i < expected.tensors().size(); ++i) {
    INFO("tensor " << i << " of the output");
    CHECK(mismatch(actual.tensors()[i], expected.tensors()[i], tolerance) == "");
  }
}

/// Copies parameters first, first + 1, … of `from` into all parameters of `to`.
void copy_parameters(const nn::Module& from, std::size_t first, const nn::Module& to) {
  const std::vector<Tensor> source = from.parameters();
  std::vector<Tensor> target = to.parameters();
  for (std::size_t i = 0; i < target.size(); ++i) target[i].replace(source[first + i].clone());
}

/// Runs one step of a cell. A state is {h} or {h, c}.
template <class Cell>
std::vector<Tensor> step(const Cell& cell, const Tensor& x, const std::vector<Tensor>& state) {
  if constexpr (std::same_as<Cell, nn::LSTMCell>) {
    return cell.forward(x, state[0], state[1]).tensors();
  } else {
    return {cell.forward(x, state[0])};
  }
}

template <class Kind, class Cell>
void check_steps(const Kind& net, const Cell& cell) {
  Generator generator(2);
  copy_parameters(net, 0, cell);
  const Tensor x = random({T, B, I}, generator).to(Dtype::f32);
  const auto result = forward(net, x);
  std::vector<Tensor> state(2);  // undefined, so the cell starts from zeros
  for (std::int64_t t = 0; t < T; ++t) {
    state = step(cell, x[t], state);
    CHECK(mismatch(result.output[t], state[0], {1e-6, 0}) == "");
  }
  for (std::size_t i = 0; i < state.size(); ++i) {
    CHECK(mismatch(result.tensors()[1 + i][0], state[i], {1e-6, 0}) == "");
  }
}

}  // namespace

TEST_CASE("a sequence equals the cell applied step by step", "[nn][recurrent]") {
  const FusedAndComposed both;
  check_steps(nn::RNN(I, H), nn::RNNCell(I, H));
  check_steps(nn::RNN(I, H, {.nonlinearity = nn::Nonlinearity::relu}),
              nn::RNNCell(I, H, {.nonlinearity = nn::Nonlinearity::relu}));
  check_steps(nn::GRU(I, H), nn::GRUCell(I, H));
  check_steps(nn::GRU(I, H, {.bias = false}), nn::GRUCell(I, H, {.bias = false}));
  check_steps(OriginalGRU(I, H), nn::GRUCell(I, H, {.form = nn::GRUForm::original}));
  check_steps(nn::LSTM(I, H), nn::LSTMCell(I, H));
  check_steps(nn::LSTM(I, H, {.bias = false}), nn::LSTMCell(I, H, {.bias = false}));
}

TEMPLATE_TEST_CASE("padding does not affect a recurrent module, forward or backward", "[nn][recurrent]",
                   RECURRENT_KINDS) {
  const Example<TestType> e;
  const Tensor garbage = leaf(with_garbage(e.x, e.lengths));
  const auto clean = forward(e.net, e.x, e.lengths), padded = forward(e.net, garbage, e.lengths);
  check_equal(padded, clean);

  Tensor loss = gradus::zeros({}, Dtype::f64);
  for (const Tensor& tensor : padded.tensors()) loss = loss + sum(tensor);
  loss.backward();
  const Tensor none = gradus::zeros(garbage.shape(), Dtype::f64);
  CHECK(mismatch(only_padding(garbage.grad(), e.lengths), none) == "");
}

TEMPLATE_TEST_CASE("not even NaN in the padding affects outputs or gradients", "[nn][recurrent]",
                   RECURRENT_KINDS) {
  const FusedAndComposed both;
  TestType net(I, H, {.layers = layers, .bidirectional = true});
  net.to(Dtype::f64);
  Generator generator(1);
  const Tensor lengths = integers({3, T, 0, 4}), clean = random({T, B, I}, generator);
  const Tensor unreal = equal(real_steps(lengths, T), integers({0})).reshape({T, B, 1});
  const Tensor padded = masked_fill(clean, unreal, std::numeric_limits<double>::quiet_NaN());
  const auto results = [&](const Tensor& values) {
    for (Tensor parameter : net.parameters()) parameter.zero_grad();
    const Tensor x = leaf(values);
    std::vector<Tensor> all = forward(net, x, lengths).tensors();
    Tensor loss = gradus::zeros({}, Dtype::f64);
    for (const Tensor& tensor : all) loss = loss + sum(tensor * tensor);
    loss.backward();
    for (const Tensor& parameter : net.parameters()) all.push_back(parameter.grad().clone());
    all.push_back(x.grad());
    return all;
  };
  CHECK(std::isnan(sum(padded).item()));
  const std::vector<Tensor> expected = results(clean), actual = results(padded);
  for (std::size_t i = 0; i < expected.size(); ++i) CHECK(mismatch(actual[i], expected[i]) == "");
}

TEMPLATE_TEST_CASE("longer padding only adds zeros to the output", "[nn][recurrent]", RECURRENT_KINDS) {
  const Example<TestType> e;
  const auto clean = forward(e.net, e.x, e.lengths, e.first);
  auto longer = forward(e.net, with_garbage(e.x, e.lengths, 2), e.lengths, e.first);
  CHECK(mismatch(longer.output.slice(T, T + 2), gradus::zeros({2, B, 2 * H})) == "");
  longer.output = longer.output.slice(0, T);
  check_equal(longer, clean, rounding);
}

TEMPLATE_TEST_CASE("a batch equals its rows run one by one without padding", "[nn][recurrent]",
                   RECURRENT_KINDS) {
  const Example<TestType> e;
  const auto batch = forward(e.net, e.x, e.lengths, e.first);
  for (std::int64_t b = 0; b < B; ++b) {
    const auto length = static_cast<std::int64_t>(e.lengths[b].item());
    const auto row = [b](const Tensor& x) { return x.slice(b, b + 1, 1); };
    const auto one = forward(e.net, row(e.x).slice(0, length), Tensor(), part_of(e.first, b, b + 1, 1));
    CHECK(mismatch(row(batch.output).slice(0, length), one.output, rounding) == "");
    for (std::size_t i = 1; i < one.tensors().size(); ++i) {
      CHECK(mismatch(row(batch.tensors()[i]), one.tensors()[i], rounding) == "");
    }
  }
}

TEMPLATE_TEST_CASE("lengths of T equal no lengths", "[nn][recurrent]", RECURRENT_KINDS) {
  const Example<TestType> e;
  check_equal(forward(e.net, e.x, integers({T, T, T, T})), forward(e.net, e.x));
}

TEMPLATE_TEST_CASE(
    "output is 0 beyond the length, and h_n is the state after the last and, backward, the first token",
    "[nn][recurrent]", RECURRENT_KINDS) {
  const Example<TestType> e;
  const auto result = forward(e.net, e.x, e.lengths, e.first);
  REQUIRE(result.output.shape() == Shape{T, B, 2 * H});
  for (std::size_t i = 1; i < result.tensors().size(); ++i) {
    CHECK(result.tensors()[i].shape() == Shape{layers * directions, B, H});
  }
  CHECK(mismatch(only_padding(result.output, e.lengths), gradus::zeros(result.output.shape())) == "");
  for (std::int64_t b = 0; b < B; ++b) {
    const std::int64_t last = static_cast<std::int64_t>(e.lengths[b].item()) - 1;
    CHECK(mismatch(result.h_n[2][b], forward_half(result.output)[last][b]) == "");
    CHECK(mismatch(result.h_n[3][b], backward_half(result.output)[0][b]) == "");
  }
}

TEMPLATE_TEST_CASE("each direction equals a separate net, and backward runs on the reversed tokens",
                   "[nn][recurrent]", RECURRENT_KINDS) {
  const Example<TestType> e;
  TestType both(I, H, {.bidirectional = true}), alone(I, H);
  both.to(Dtype::f64);
  alone.to(Dtype::f64);
  copy_parameters(both, 4, alone);
  const auto reversed = forward(alone, flip(e.x, 0), Tensor(), part_of(e.first, 1, 2, 0));
  const auto result = forward(both, e.x, Tensor(), part_of(e.first, 0, 2, 0));
  CHECK(mismatch(backward_half(result.output), flip(reversed.output, 0), rounding) == "");
  for (std::size_t i = 1; i < result.tensors().size(); ++i) {
    CHECK(mismatch(result.tensors()[i][1], reversed.tensors()[i][0], rounding) == "");
  }
}

TEMPLATE_TEST_CASE("a layer reads the output of the layer below, with dropout in training", "[nn][recurrent]",
                   RECURRENT_KINDS) {
  const Example<TestType> e;
  const double probability = GENERATE(0.0, 0.5);
  const bool training = GENERATE(false, true);
  INFO("dropout " << probability << (training ? " in training" : " in eval mode"));
  TestType both(I, H, {.layers = 2, .bidirectional = true, .dropout = probability});
  TestType lower(I, H, {.bidirectional = true}), upper(2 * H, H, {.bidirectional = true});
  nn::Dropout between(probability);
  for (nn::Module* part : std::initializer_list<nn::Module*>{&both, &lower, &upper, &between}) {
    part->to(Dtype::f64);
    part->train(training);
  }
  copy_parameters(both, 0, lower);
  copy_parameters(both, 8, upper);

  gradus::seed(5);
  const auto result = forward(both, e.x, e.lengths, e.first);
  gradus::seed(5);
  const auto first = forward(lower, e.x, e.lengths, part_of(e.first, 0, 2, 0));
  const auto second = forward(upper, between.forward(first.output), e.lengths, part_of(e.first, 2, 4, 0));
  CHECK(mismatch(result.output, second.output, rounding) == "");
  for (std::size_t i = 1; i < result.tensors().size(); ++i) {
    CHECK(mismatch(result.tensors()[i].slice(0, 2), first.tensors()[i], rounding) == "");
    CHECK(mismatch(result.tensors()[i].slice(2, 4), second.tensors()[i], rounding) == "");
  }
}

TEMPLATE_TEST_CASE("dropout changes the output in training, but not if it is 0 or in eval mode",
                   "[nn][recurrent]", RECURRENT_KINDS) {
  const Example<TestType> e;
  const auto with_dropout = [&](double probability, bool training) {
    TestType net(I, H, {.layers = layers, .bidirectional = true, .dropout = probability});
    net.to(Dtype::f64);
    net.train(training);
    copy_parameters(e.net, 0, net);
    return forward(net, e.x, e.lengths, e.first);
  };
  const auto plain = forward(e.net, e.x, e.lengths, e.first);
  check_equal(with_dropout(0, true), plain);
  check_equal(with_dropout(0.5, false), plain);
  CHECK(mismatch(with_dropout(0.5, true).output, plain.output, {1e-3, 0}) != "");
}

TEMPLATE_TEST_CASE(
    "a token affects forward states from its position on, and backward states up to its position",
    "[nn][recurrent]", RECURRENT_KINDS) {
  const Example<TestType> e;
  TestType net(I, H, {.bidirectional = true});
  const std::int64_t changed = GENERATE(0, 2, 5);
  Tensor other = e.x.clone();
  overwrite(other[changed], 1);
  net.to(Dtype::f64);
  const Tensor before = forward(net, e.x).output, after = forward(net, other).output;
  for (std::int64_t t = 0; t < T; ++t) {
    INFO("step " << t << " of a change at " << changed);
    CHECK((mismatch(forward_half(before)[t], forward_half(after)[t]) == "") == (t < changed));
    CHECK((mismatch(backward_half(before)[t], backward_half(after)[t]) == "") == (t > changed));
  }
}

TEMPLATE_TEST_CASE("a sequence without tokens keeps its initial states", "[nn][recurrent]", RECURRENT_KINDS) {
  const Example<TestType> e;
  const auto result = forward(e.net, e.x, integers({0, 2, 0, 1}), e.first);
  for (std::size_t i = 1; i < result.tensors().size(); ++i) {
    for (const std::int64_t b : {0, 2}) {
      const auto row = [b](const Tensor& x) { return x.slice(b, b + 1, 1); };
      CHECK(mismatch(row(result.tensors()[i]), row(e.first[i - 1])) == "");
    }
  }
}

TEMPLATE_TEST_CASE("an undefined initial state is zeros", "[nn][recurrent]", RECURRENT_KINDS) {
  const Example<TestType> e;
  const FirstStates zeros(2, gradus::zeros(e.first[0].shape(), Dtype::f64));
  check_equal(forward(e.net, e.x), forward(e.net, e.x, Tensor(), zeros));
}

TEMPLATE_TEST_CASE("batch_first only exchanges the first two axes of x and output", "[nn][recurrent]",
                   RECURRENT_KINDS) {
  const Example<TestType> e;
  TestType net(I, H, {.layers = layers, .bidirectional = true, .batch_first = true});
  net.to(Dtype::f64);
  copy_parameters(e.net, 0, net);
  auto result = forward(net, transpose(e.x, 0, 1), e.lengths, e.first);
  REQUIRE(result.output.shape() == Shape{B, T, 2 * H});
  result.output = transpose(result.output, 0, 1);
  check_equal(result, forward(e.net, e.x, e.lengths, e.first));
}

TEMPLATE_TEST_CASE("recurrent parameters have PyTorch's names, and are drawn from U(-1/√H, 1/√H)",
                   "[nn][recurrent]", RECURRENT_KINDS) {
  gradus::seed(4);
  const TestType net(20, 25, {.layers = 2, .bidirectional = true});
  std::vector<std::string> names;
  for (const auto& [name, parameter] : net.named_parameters()) {
    INFO(name);
    names.push_back(name);
    double largest = 0, total = 0;
    for (const double x : parameter.template to_vector<double>()) {
      largest = std::max(largest, std::abs(x));
      total += x;
    }
    CHECK(largest <= 0.2);
    CHECK(largest > 0.15);
    CHECK(std::abs(total / static_cast<double>(parameter.numel())) < 0.06);
  }
  CHECK(names == std::vector<std::string>{
                     "weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0", "weight_ih_l0_reverse",
                     "weight_hh_l0_reverse", "bias_ih_l0_reverse", "bias_hh_l0_reverse", "weight_ih_l1",
                     "weight_hh_l1", "bias_ih_l1", "bias_hh_l1", "weight_ih_l1_reverse",
                     "weight_hh_l1_reverse", "bias_ih_l1_reverse", "bias_hh_l1_reverse"});
  const TestType without(20, 25, {.bias = false});
  REQUIRE(without.named_parameters().size() == 2);
  CHECK(without.named_parameters()[1].first == "weight_hh_l0");
}

TEST_CASE("recurrent modules refuse invalid sizes and options", "[nn][recurrent]") {
  CHECK_ERROR(nn::RNNCell(0, 5), "RNNCell: the sizes of input and state must be at least 1, and are 0 and 5");
  CHECK_ERROR(nn::GRUCell(3, -5),
              "GRUCell: the sizes of input and state must be at least 1, and are 3 and -5");
  CHECK_ERROR(nn::LSTMCell(-3, 5),
              "LSTMCell: the sizes of input and state must be at least 1, and are -3 and 5");
  CHECK_ERROR(nn::RNNCell(3, 5, {.nonlinearity = nn::Nonlinearity::selu}),
              "RNNCell: its nonlinearity must be tanh or relu");
  CHECK_ERROR(nn::RNN(3, 5, {.nonlinearity = nn::Nonlinearity::sigmoid}),
              "RNN: its nonlinearity must be tanh or relu");
  CHECK_ERROR(nn::RNN(-3, 5), "RNN: the sizes of input and state must be at least 1, and are -3 and 5");
  CHECK_ERROR(nn::GRU(3, 0), "GRU: the sizes of input and state must be at least 1, and are 3 and 0");
  CHECK_ERROR(nn::LSTM(0, 0), "LSTM: the sizes of input and state must be at least 1, and are 0 and 0");
  CHECK_ERROR(nn::RNN(3, 5, {.layers = 0}), "RNN: needs at least 1 layer, and got 0");
  CHECK_ERROR(nn::LSTM(3, 5, {.layers = -2}), "LSTM: needs at least 1 layer, and got -2");
  CHECK_ERROR(nn::GRU(3, 5, {.layers = 2, .dropout = 1}), "GRU: the dropout must be in [0, 1), and is 1");
  CHECK_ERROR(nn::GRU(3, 5, {.layers = 2, .dropout = -0.1}),
              "GRU: the dropout must be in [0, 1), and is -0.1");
  CHECK_ERROR(nn::GRU(3, 5, {.layers = 2, .dropout = std::numeric_limits<double>::quiet_NaN()}),
              "GRU: the dropout must be in [0, 1), and is nan");
  CHECK_ERROR(nn::LSTM(3, 5, {.dropout = 0.1}),
              "LSTM: dropout acts between layers, and there is only one layer; use more layers, or "
              "nn::Dropout on the output");
}

TEST_CASE("a cell refuses an input and a state that do not fit", "[nn][recurrent]") {
  using gradus::zeros;
  const nn::GRUCell cell(3, 5);
  const nn::LSTMCell lstm(3, 5);
  CHECK_ERROR(cell.forward(zeros({2, 4}), zeros({2, 5})), "GRUCell: the input is (2, 4) and must be (B, 3)");
  CHECK_ERROR(cell.forward(zeros({3}), zeros({2, 5})), "GRUCell: the input is (3) and must be (B, 3)");
  CHECK_ERROR(cell.forward(zeros({2, 3}), zeros({1, 5})),
              "GRUCell: the state h is (1, 5) and must be (2, 5)");
  CHECK_ERROR(lstm.forward(zeros({2, 3}), zeros({2, 5}), zeros({2, 4})),
              "LSTMCell: the state c is (2, 4) and must be (2, 5)");
}

TEST_CASE("a recurrent module refuses an input, lengths and states that do not fit", "[nn][recurrent]") {
  using gradus::zeros;
  const nn::GRU gru(3, 5);
  const nn::RNN batch_first(3, 5, {.batch_first = true});
  const nn::LSTM lstm(3, 5, {.layers = 2, .bidirectional = true});
  const Tensor x = zeros({4, 2, 3}), none;
  CHECK_ERROR(gru.forward(zeros({0, 2, 3})),
              "GRU: the input is (0, 2, 3) and must be (T, B, 3) with T of at least 1");
  CHECK_ERROR(gru.forward(zeros({4, 2, 5})),
              "GRU: the input is (4, 2, 5) and must be (T, B, 3) with T of at least 1");
  CHECK_ERROR(gru.forward(zeros({4, 3})),
              "GRU: the input is (4, 3) and must be (T, B, 3) with T of at least 1");
  CHECK_ERROR(batch_first.forward(zeros({2, 0, 3})),
              "RNN: the input is (2, 0, 3) and must be (B, T, 3) with T of at least 1");
  CHECK_ERROR(batch_first.forward(x, integers({1, 2})),
              "RNN: the lengths are (2) and must be (4), one per row of the batch");
  CHECK_ERROR(gru.forward(x, integers({1, 2, 3})),
              "GRU: the lengths are (3) and must be (2), one per row of the batch");
  CHECK_ERROR(gru.forward(x, integers({1, 5})), "GRU: length 5 is outside [0, 4]");
  CHECK_ERROR(gru.forward(x, integers({-1, 4})), "GRU: length -1 is outside [0, 4]");
  CHECK_ERROR(gru.forward(x, zeros({2})), "GRU: the lengths (2) must be i64, and is f32");
  CHECK_ERROR(gru.forward(x, none, zeros({2, 2, 5})),
              "GRU: the state h_0 is (2, 2, 5) and must be (1, 2, 5)");
  CHECK_ERROR(lstm.forward(x, none, zeros({1, 2, 5})),
              "LSTM: the state h_0 is (1, 2, 5) and must be (4, 2, 5)");
  CHECK_ERROR(lstm.forward(x, none, none, zeros({4, 1, 5})),
              "LSTM: the state c_0 is (4, 1, 5) and must be (4, 2, 5)");
  const Tensor zero = zeros({4, 2, 5});
  CHECK_ERROR(lstm.run(x, none, {zero}),
              "LSTM: the first state has 1 tensors and must have 2, h_0 and c_0, or none for zeros");
  CHECK_ERROR(lstm.run(x, none, {zero, zero, zero}),
              "LSTM: the first state has 3 tensors and must have 2, h_0 and c_0, or none for zeros");
  CHECK_ERROR(gru.run_packed(zeros({8, 3}), gradus::Packing(4, 2), {zeros({1, 2, 5}), zeros({1, 2, 5})}),
              "GRU: the first state has 2 tensors and must have 1, h_0, or none for zeros");
}

TEMPLATE_TEST_CASE("step() repeated gives the result of the whole sequence", "[nn][recurrent]",
                   RECURRENT_KINDS) {
  constexpr std::int64_t T = 4, B = 3, I = 5, H = 2, L = 3;
  gradus::seed(5);
  TestType net(I, H, {.layers = L});
  net.to(gradus::Dtype::f64);
  const Tensor x = gradus::normal({T, B, I}, 0, 1, gradus::default_generator(), gradus::Dtype::f64);
  gradus::nn::RecurrentState state(net.state_parts() * L, gradus::zeros({B, H}, gradus::Dtype::f64));
  const auto [output, last] = net.run(x);
  for (std::int64_t t = 0; t < T; ++t) {
    state = net.step(x[t], state);
    CHECK(mismatch(state[L - 1], output[t], {0, 1e-14}) == "");
  }
  for (std::size_t i = 0; i < state.size(); ++i) {
    CHECK(mismatch(state[i], last[i / L][static_cast<std::int64_t>(i % L)], {0, 1e-14}) == "");
  }
}

TEMPLATE_TEST_CASE("packed and padded sequences give the same results", "[nn][recurrent][twins]",
                   RECURRENT_KINDS) {
  gradus::seed(6);
  TestType net(5, 2, {.layers = 2, .bidirectional = true});
  net.to(gradus::Dtype::f64);
  const Tensor x = gradus::normal({4, 3, 5}, 0, 1, gradus::default_generator(), gradus::Dtype::f64);
  const Tensor lengths = integers({2, 4, 1});
  const gradus::Packing packing(lengths);
  const auto padded = net.run(x, lengths), packed = net.run_packed(pack(x, packing), packing);
  CHECK(mismatch(packed.output, pack(padded.output, packing), {0, 1e-14}) == "");
  for (std::size_t part = 0; part < packed.last.size(); ++part) {
    CHECK(mismatch(packed.last[part], padded.last[part], {0, 1e-14}) == "");
  }
}

TEST_CASE("step() and run_packed() refuse arguments that do not fit", "[nn][recurrent][errors]") {
  const gradus::nn::GRU one(5, 2), both(5, 2, {.bidirectional = true});
  const gradus::nn::LSTM lstm(5, 2, {.layers = 2});
  const Tensor x = gradus::zeros({3, 5}), h = gradus::zeros({3, 2});
  CHECK_ERROR(both.step(x, {h}),
              "GRU: a bidirectional module cannot run step by step; use run() on the whole sequence");
  CHECK_ERROR(one.step(gradus::zeros({3, 4}), {h}), "GRU: the input of a step is (3, 4) and must be (B, 5)");
  CHECK_ERROR(one.step(x, {h, h}), "GRU: the state has 2 tensors and must have 1, h of each layer");
  CHECK_ERROR(lstm.step(x, {h}), "LSTM: the state has 1 tensors and must have 4, h and c of each layer");
  CHECK_ERROR(one.step(x, {gradus::zeros({2, 2})}), "GRU: a part of the state is (2, 2) and must be (3, 2)");
  CHECK_ERROR(one.run_packed(x, gradus::Packing(2, 2)),
              "GRU: the packed input is (3, 5) and must be (4, 5) with at least one row");
}
