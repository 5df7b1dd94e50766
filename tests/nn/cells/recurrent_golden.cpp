// Recurrent modules must equal PyTorch's. The original GRU must equal the equations of Cho et al. 2014.

#include "nn/against_golden.hpp"
#include "nn/recurrent.hpp"

namespace nn = gradus::nn;
using gradus::NamedTensors;
using gradus::Tensor;

namespace {

constexpr std::int64_t I = 6, H = 2;  // input and state size of all grids

const char* const output_names[] = {"output", "h_n", "c_n"};

template <class Output>
NamedTensors named(const Output& output, const std::string& prefix = "") {
  NamedTensors result;
  for (const Tensor& tensor : output.tensors())
    result.emplace_back(prefix + output_names[result.size()], tensor);
  return result;
}

Tensor given(const Leaves& leaves, const std::string& name) {
  return leaves.count(name) != 0 ? leaves.at(name) : Tensor();
}

// Checks the outputs and every gradient. Uses lengths and initial states if the file has them.
template <class Kind>
void check_gradients_of(const Golden& golden, const Kind& net) {
  const Tensor lengths = golden.has("lengths") ? golden["lengths"] : Tensor();
  check_against(golden, net, [&](const Leaves& leaf) {
    return named(forward(net, leaf.at("x"), lengths, {given(leaf, "h_0"), given(leaf, "c_0")}));
  });
}

// The nets differ in their biases, directions and layers. Some cases have no lengths or no first state.
// Others have a single step or a single sequence.
template <class Kind>
void check_gradients_in(const char* file) {
  const Golden golden(file);
  const auto check = [&](const char* name, const Kind& net) {
    INFO(name);
    check_gradients_of(golden.part(name), net);
  };
  check("plain.", Kind(5, 2));
  check("no_bias.", Kind(5, 2, {.bias = false}));
  check("both_ways.", Kind(7, 3, {.bidirectional = true, .bias = false}));
  check("three_layers.", Kind(7, 2, {.layers = 3}));
  check("one_step.", Kind(4, 2));
  check("one_token.", Kind(4, 2));
}

// One configuration of a grid.
struct Case {
  std::int64_t layers;
  int directions;
  bool bias, lengths, state;

  std::string name() const {
    std::ostringstream text;
    text << 'l' << layers << "_d" << directions << (bias ? "_bias" : "") << (lengths ? "_lengths" : "")
         << (state ? "_state" : "") << '.';
    return text.str();
  }
};

std::vector<Case> cases() {
  std::vector<Case> result;
  for (const std::int64_t layers : {1, 2, 3}) {
    for (const int directions : {1, 2}) {
      result.push_back({layers, directions, true, true, true});
      result.push_back({layers, directions, true, false, false});
      result.push_back({layers, directions, false, true, false});
      result.push_back({layers, directions, false, false, true});
    }
  }
  return result;
}

template <class Kind>
class Grid {
 public:
  Grid(const char* file, const Precision& precision) : golden_(file), precision_(precision) {}

  void check(const Case& c) const {
    INFO(c.name() << name(precision_.dtype));
    Kind net(I, H, {.layers = c.layers, .bidirectional = c.directions == 2, .bias = c.bias});
    load(net, c.directions);
    compare(forward(net, x(), c.lengths ? golden_["lengths"] : Tensor(), first_states(c)), c.name());
  }

  void check_batch_of_one() const {
    Kind net(I, H, {.layers = 3, .bidirectional = true, .bias = false});
    load(net, 2);
    compare(forward(net, x().slice(0, 1, 1), golden_["lengths"].slice(0, 1)), "one.");
  }

  void check_batch_first() const {
    Kind net(I, H, {.layers = 3, .bidirectional = true, .bias = false, .batch_first = true});
    load(net, 2);
    compare(forward(net, transpose(x(), 0, 1), golden_["lengths"]), "batch_first.");
  }

 private:
  Tensor x() const { return golden_["x"].to(precision_.dtype); }

  // Nets with one or two layers use the lower layers of the 3-layer net. So for each number of directions,
  // the file stores only the weights of the 3-layer net.
  static std::string weights_of(int directions) { return directions == 1 ? "d1." : "d2."; }

  void load(Kind& net, int directions) const {
    for (auto [name, parameter] : net.named_parameters()) {
      parameter.replace(golden_[weights_of(directions) + name].to(precision_.dtype));
    }
  }

  FirstStates first_states(const Case& c) const {
    FirstStates first = no_states;
    for (std::size_t i = 0; c.state && i < first.size(); ++i) {
      const std::string name = weights_of(c.directions) + (i == 0 ? "h_0" : "c_0");
      if (!golden_.has(name)) continue;
      first[i] = golden_[name].to(precision_.dtype).slice(0, c.layers * c.directions);
    }
    return first;
  }

  void compare(const typename Kind::Output& output, const std::string& prefix) const {
    for (const auto& [name, tensor] : named(output, prefix)) {
      INFO(name);
      CHECK(mismatch(tensor, golden_[name], precision_.values) == "");
    }
  }

  Golden golden_;
  Precision precision_;
};

template <class Kind>
void check_grid(const char* file) {
  for (const Precision& precision : precisions) {
    const Grid<Kind> grid(file, precision);
    for (const Case& c : cases()) grid.check(c);
    grid.check_batch_of_one();
    grid.check_batch_first();
  }
}

}  // namespace

TEST_CASE("RNNCell matches PyTorch", "[nn][golden]") {
  const nn::RNNCell with_tanh(3, 4), with_relu(3, 4, {.bias = false, .nonlinearity = nn::Nonlinearity::relu});
  const auto check = [](const char* file, const nn::RNNCell& cell) {
    check_against(Golden(file), cell, [&](const Leaves& leaf) {
      return NamedTensors{{"h_1", cell.forward(leaf.at("x"), leaf.at("h"))}};
    });
  };
  check("rnn_cell", with_tanh);
  check("rnn_cell_relu", with_relu);
}

TEST_CASE("LSTMCell matches PyTorch", "[nn][golden]") {
  const FusedAndComposed both;
  const nn::LSTMCell cell(3, 4);
  check_against(Golden("lstm_cell"), cell, [&](const Leaves& leaf) {
    const auto [h, c] = cell.forward(leaf.at("x"), leaf.at("h"), leaf.at("c"));
    return NamedTensors{{"h_1", h}, {"c_1", c}};
  });
}

TEST_CASE("GRUCell in the original form is the paper's equations", "[nn][golden]") {
  const nn::GRUCell cell(3, 4, {.form = nn::GRUForm::original});
  check_against(Golden("gru_cell_original"), cell, [&](const Leaves& leaf) {
    return NamedTensors{{"output", cell.forward(leaf.at("x"), leaf.at("h"))}};
  });
}

TEST_CASE("cells without biases, and cells without an initial state, match PyTorch", "[nn][golden]") {
  const FusedAndComposed both;
  const Golden golden("lesser_cells");
  const auto check = [&](const std::string& name, const auto& cell) {
    INFO(name);
    check_against(golden.part(name), cell, [&](const Leaves& leaf) {
      return NamedTensors{{"h_1", cell.forward(leaf.at("x"), given(leaf, "h"))}};
    });
  };
  const auto check_lstm = [&](const std::string& name, const nn::LSTMCell& cell) {
    INFO(name);
    check_against(golden.part(name), cell, [&](const Leaves& leaf) {
      const auto [h, c] = cell.forward(leaf.at("x"), given(leaf, "h"), given(leaf, "c"));
      return NamedTensors{{"h_1", h}, {"c_1", c}};
    });
  };
  check("gru_no_bias.", nn::GRUCell(3, 4, {.bias = false}));
  check_lstm("lstm_no_bias.", nn::LSTMCell(3, 4, {.bias = false}));
  check("rnn_no_state.", nn::RNNCell(3, 4));
  check("gru_no_state.", nn::GRUCell(3, 4));
  check_lstm("lstm_no_state.", nn::LSTMCell(3, 4));
}

TEST_CASE("layers in both directions have PyTorch's gradients", "[nn][golden]") {
  const FusedAndComposed both;
  check_gradients_of(Golden("rnn_layers"), nn::RNN(7, 2, {.layers = 2, .bidirectional = true}));
  check_gradients_of(
      Golden("rnn_relu_layers"),
      nn::RNN(7, 2,
              {.layers = 2, .bidirectional = true, .bias = false, .nonlinearity = nn::Nonlinearity::relu}));
  check_gradients_of(Golden("gru_layers"), nn::GRU(7, 2, {.layers = 3, .bidirectional = true}));
  check_gradients_of(Golden("lstm_layers"), nn::LSTM(7, 2, {.layers = 2, .bidirectional = true}));
}

TEST_CASE("GRU in the original form has the gradients of the paper's equations, row by row", "[nn][golden]") {
  check_gradients_of(Golden("gru_original"), OriginalGRU(7, 2, {.layers = 2, .bidirectional = true}));
}

TEST_CASE("gradients are PyTorch's without biases, lengths or states, for one step and for one token",
          "[nn][golden]") {
  const FusedAndComposed both;
  SECTION("RNN") { check_gradients_in<nn::RNN>("rnn_gradients"); }
  SECTION("GRU") { check_gradients_in<nn::GRU>("gru_gradients"); }
  SECTION("LSTM") { check_gradients_in<nn::LSTM>("lstm_gradients"); }
  SECTION("GRU in the original form") { check_gradients_in<OriginalGRU>("gru_original_gradients"); }
}

TEST_CASE("1 to 3 layers, with and without each option, give PyTorch's outputs", "[nn][golden]") {
  const FusedAndComposed both;
  SECTION("RNN") { check_grid<nn::RNN>("rnn_grid"); }
  SECTION("GRU") { check_grid<nn::GRU>("gru_grid"); }
  SECTION("LSTM") { check_grid<nn::LSTM>("lstm_grid"); }
}
