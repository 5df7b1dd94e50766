// The gates of the GRU, and its two forms: PyTorch's and the original one.

#include <gradus/nn/gru.hpp>

#include "nn/helpers.hpp"

namespace nn = gradus::nn;
using gradus::Dtype;
using gradus::Generator;
using gradus::Tensor;

namespace {

constexpr std::int64_t B = 4, I = 3, H = 5;

struct Example {
  Generator generator{1};
  nn::GRUCell cell{I, H, {.form = nn::GRUForm::original}};
  Tensor x = random({B, I}, generator), h = random({B, H}, generator);

  Example() { cell.to(Dtype::f64); }
};

// The pre-activation W_g x + U_g h + biases, from the rows of gate g.
Tensor argument(const nn::GRUCell& cell, int g, const Tensor& x, const Tensor& h) {
  const auto rows = [g](const Tensor& parameter) { return parameter.slice(g * H, (g + 1) * H); };
  return matmul(x, transpose(rows(cell.weight_ih), 0, 1)) + matmul(h, transpose(rows(cell.weight_hh), 0, 1)) +
         rows(cell.bias_ih) + rows(cell.bias_hh);
}

}  // namespace

TEST_CASE("z = 1 keeps the state, and z = 0 forgets it", "[nn][gru]") {
  const FusedAndComposed both;
  Generator generator(3);
  nn::GRUCell cell(I, H, {.form = GENERATE(nn::GRUForm::pytorch, nn::GRUForm::original)});
  cell.to(Dtype::f64);
  const Tensor x = random({B, I}, generator), h = random({B, H}, generator);
  const auto force = [&](std::int64_t gate, double argument) {
    overwrite(cell.bias_ih, gate * H, (gate + 1) * H, argument);
  };
  force(1, 1e3);
  CHECK(mismatch(cell.forward(x, h), h, rounding) == "");

  force(1, -1e3);
  const Tensor n = cell.forward(x, h);
  CHECK(mismatch(n, h, {1e-3, 0}) != "");
  force(0, -1e3);  // r = 0: the new state ignores h
  CHECK(mismatch(cell.forward(x, h), cell.forward(x, h * 2.0), rounding) == "");
  CHECK(mismatch(cell.forward(x, h), n, {1e-3, 0}) != "");
}

TEST_CASE("the original form is Cho et al. 2014, eq. 5-8", "[nn][gru]") {
  const Example e;
  const Tensor r = sigmoid(argument(e.cell, 0, e.x, e.h)), z = sigmoid(argument(e.cell, 1, e.x, e.h));
  const Tensor candidate = tanh(argument(e.cell, 2, e.x, r * e.h));
  CHECK(mismatch(e.cell.forward(e.x, e.h), z * e.h + (1.0 - z) * candidate, rounding) == "");
}

TEST_CASE("Bahdanau's weights become ours when z's rows change sign", "[nn][gru]") {
  const Example e;
  const Tensor r = sigmoid(argument(e.cell, 0, e.x, e.h)), z = sigmoid(argument(e.cell, 1, e.x, e.h));
  const Tensor candidate = tanh(argument(e.cell, 2, e.x, r * e.h));
  const Tensor theirs = (1.0 - z) * e.h + z * candidate;  // Bahdanau et al. 2015, A.1.1
  CHECK(mismatch(e.cell.forward(e.x, e.h), theirs, {1e-3, 0}) != "");
  for (Tensor parameter : e.cell.parameters()) {
    const Tensor values = parameter.detach();
    const auto rows = [&](int g) { return values.slice(g * H, (g + 1) * H); };
    parameter.replace(gradus::concat({rows(0), -rows(1), rows(2)}, 0));
  }
  CHECK(mismatch(e.cell.forward(e.x, e.h), theirs, rounding) == "");
}

TEST_CASE("the two GRU forms differ, but not with an open reset gate", "[nn][gru]") {
  const Example e;
  nn::GRUCell pytorch(I, H);
  for (std::size_t i = 0; i < 4; ++i) pytorch.parameters()[i].replace(e.cell.parameters()[i].clone());
  CHECK(mismatch(e.cell.forward(e.x, e.h), pytorch.forward(e.x, e.h), {1e-3, 0}) != "");
  overwrite(e.cell.bias_ih, 0, H, 1e3);
  overwrite(pytorch.bias_ih, 0, H, 1e3);
  CHECK(mismatch(e.cell.forward(e.x, e.h), pytorch.forward(e.x, e.h), rounding) == "");
}
