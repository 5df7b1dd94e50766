// What must hold of a GRU whatever its weights.

#include <gradus/nn/gru.hpp>

#include "nn/helpers.hpp"

namespace nn = gradus::nn;
using gradus::Dtype;
using gradus::Generator;
using gradus::Shape;
using gradus::Tensor;

namespace {

constexpr std::int64_t T = 6, B = 4, I = 3, H = 5;

struct Example {
  FusedAndComposed both;
  Generator generator{1};
  nn::GRU gru{I, H, {.bidirectional = true}};
  Tensor x = random({T, B, I}, generator), h_0 = random({2, B, H}, generator);
  Tensor lengths = integers({3, T, 1, 4});

  Example() { gru.to(Dtype::f64); }
};

Tensor forward_half(const Tensor& output) { return output.slice(0, H, 2); }
Tensor backward_half(const Tensor& output) { return output.slice(H, 2 * H, 2); }

}  // namespace

TEST_CASE("a sequence is GRUCell, step by step", "[nn][gru]") {
  const FusedAndComposed both;
  Generator generator(2);
  nn::GRU gru(I, H);
  nn::GRUCell cell(I, H);
  for (std::size_t i = 0; i < 4; ++i) gru.parameters()[i].replace(cell.parameters()[i]);
  const Tensor x = random({T, B, I}, generator).to(Dtype::f32);
  const auto [output, h_n] = gru.forward(x);
  REQUIRE(output.shape() == Shape{T, B, H});
  REQUIRE(h_n.shape() == Shape{1, B, H});
  Tensor h = gradus::zeros({B, H});
  for (std::int64_t t = 0; t < T; ++t) {
    h = cell.forward(x[t], h);
    CHECK(mismatch(output[t], h, {1e-6, 0}) == "");
  }
  CHECK(mismatch(h_n[0], output[T - 1]) == "");
}

TEST_CASE("z = 1 keeps the state, and z = 0 forgets it", "[nn][gru]") {
  const FusedAndComposed both;
  Generator generator(3);
  nn::GRUCell cell(I, H);
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
  force(0, -1e3);  // r = 0: no way in for the state
  CHECK(mismatch(cell.forward(x, h), cell.forward(x, h * 2.0), rounding) == "");
  CHECK(mismatch(cell.forward(x, h), n, {1e-3, 0}) != "");
}

TEST_CASE("GRU sees no padding, neither forward nor backward", "[nn][gru]") {
  const Example e;
  const Tensor garbage = leaf(with_garbage(e.x, e.lengths));
  const auto clean = e.gru.forward(e.x, e.lengths), padded = e.gru.forward(garbage, e.lengths);
  CHECK(mismatch(padded.output, clean.output) == "");
  CHECK(mismatch(padded.h_n, clean.h_n) == "");

  (sum(padded.output) + sum(padded.h_n)).backward();
  const Tensor none = gradus::zeros(garbage.shape(), Dtype::f64);
  CHECK(mismatch(only_padding(garbage.grad(), e.lengths), none) == "");
}

TEST_CASE("longer padding adds nothing but zeros to a GRU's output", "[nn][gru]") {
  const Example e;
  const auto clean = e.gru.forward(e.x, e.lengths, e.h_0),
             longer = e.gru.forward(with_garbage(e.x, e.lengths, 2), e.lengths, e.h_0);
  CHECK(mismatch(longer.output.slice(0, T), clean.output, rounding) == "");
  CHECK(mismatch(longer.output.slice(T, T + 2), gradus::zeros({2, B, 2 * H})) == "");
  CHECK(mismatch(longer.h_n, clean.h_n, rounding) == "");
}

TEST_CASE("a batch runs as its rows do one by one, without padding", "[nn][gru]") {
  const Example e;
  const auto batch = e.gru.forward(e.x, e.lengths, e.h_0);
  for (std::int64_t b = 0; b < B; ++b) {
    const std::int64_t length = static_cast<std::int64_t>(e.lengths[b].item());
    const auto row = [b](const Tensor& x) { return x.slice(b, b + 1, 1); };
    const auto one = e.gru.forward(row(e.x).slice(0, length), Tensor(), row(e.h_0));
    CHECK(mismatch(row(batch.output).slice(0, length), one.output, rounding) == "");
    CHECK(mismatch(row(batch.h_n), one.h_n, rounding) == "");
  }
}

TEST_CASE("lengths of T each are the same as none", "[nn][gru]") {
  const Example e;
  const auto with = e.gru.forward(e.x, integers({T, T, T, T})), without = e.gru.forward(e.x);
  CHECK(mismatch(with.output, without.output) == "");
  CHECK(mismatch(with.h_n, without.h_n) == "");
}

TEST_CASE("output is 0 beyond the length; the last states are those of the last and the first token",
          "[nn][gru]") {
  const Example e;
  const auto [output, h_n] = e.gru.forward(e.x, e.lengths, e.h_0);
  REQUIRE(output.shape() == Shape{T, B, 2 * H});
  REQUIRE(h_n.shape() == Shape{2, B, H});
  CHECK(mismatch(only_padding(output, e.lengths), gradus::zeros(output.shape())) == "");
  for (std::int64_t b = 0; b < B; ++b) {
    const std::int64_t last = static_cast<std::int64_t>(e.lengths[b].item()) - 1;
    CHECK(mismatch(h_n[0][b], forward_half(output)[last][b]) == "");
    CHECK(mismatch(h_n[1][b], backward_half(output)[0][b]) == "");
  }
}

TEST_CASE("each direction is a GRU of its own: backward runs on the reversed tokens", "[nn][gru]") {
  const Example e;
  nn::GRU alone(I, H);
  for (std::size_t i = 0; i < 4; ++i) alone.parameters()[i].replace(e.gru.parameters()[4 + i]);
  const Tensor last_first = integers({5, 4, 3, 2, 1, 0});
  const auto reversed = alone.forward(index_select(e.x, last_first), Tensor(), e.h_0.slice(1, 2));
  const auto both = e.gru.forward(e.x, Tensor(), e.h_0);
  CHECK(mismatch(backward_half(both.output), index_select(reversed.output, last_first), rounding) == "");
  CHECK(mismatch(both.h_n[1], reversed.h_n[0], rounding) == "");
}

TEST_CASE("a token is known forward from it on, and backward up to it", "[nn][gru]") {
  const Example e;
  const std::int64_t changed = GENERATE(0, 2, 5);
  Tensor other = e.x.clone();
  overwrite(other[changed], 1);
  const Tensor before = e.gru.forward(e.x).output, after = e.gru.forward(other).output;
  for (std::int64_t t = 0; t < T; ++t) {
    INFO("step " << t << " of a change at " << changed);
    CHECK((mismatch(forward_half(before)[t], forward_half(after)[t]) == "") == (t < changed));
    CHECK((mismatch(backward_half(before)[t], backward_half(after)[t]) == "") == (t > changed));
  }
}

TEST_CASE("a sequence without a token keeps its first state", "[nn][gru]") {
  const Example e;
  const auto [output, h_n] = e.gru.forward(e.x, integers({0, 2, 0, 1}), e.h_0);
  for (const std::int64_t b : {0, 2}) {
    CHECK(mismatch(h_n[0][b], e.h_0[0][b]) == "");
    CHECK(mismatch(h_n[1][b], e.h_0[1][b]) == "");
  }
}

TEST_CASE("GRU starts from zeros when it is given no state", "[nn][gru]") {
  const Example e;
  const Tensor zeros = gradus::zeros({2, B, H}, Dtype::f64);
  CHECK(mismatch(e.gru.forward(e.x).output, e.gru.forward(e.x, Tensor(), zeros).output) == "");
}

TEST_CASE("parameters are drawn from U(-1/√H, 1/√H)", "[nn][gru]") {
  gradus::seed(4);
  const nn::GRU gru(20, 25, {.bidirectional = true});
  for (const auto& [name, parameter] : gru.named_parameters()) {
    INFO(name);
    double largest = 0, total = 0;
    for (const double x : parameter.to_vector<double>()) {
      largest = std::max(largest, std::abs(x));
      total += x;
    }
    CHECK(largest <= 0.2);
    CHECK(largest > 0.18);
    CHECK(std::abs(total / static_cast<double>(parameter.numel())) < 0.05);
  }
}

TEST_CASE("GRU and its cell refuse sizes that do not fit", "[nn][gru]") {
  const nn::GRUCell cell(3, 5);
  const nn::GRU gru(3, 5);
  using gradus::zeros;
  CHECK_ERROR(cell.forward(zeros({2, 4}), zeros({2, 5})), "GRUCell: the input is (2, 4) and must be (B, 3)");
  CHECK_ERROR(cell.forward(zeros({3}), zeros({2, 5})), "GRUCell: the input is (3) and must be (B, 3)");
  CHECK_ERROR(cell.forward(zeros({2, 3}), zeros({1, 5})),
              "GRUCell: the state h is (1, 5) and must be (2, 5)");
  CHECK_ERROR(gru.forward(zeros({0, 2, 3})),
              "GRU: the input is (0, 2, 3) and must be (T, B, 3) with T of at least 1");
  CHECK_ERROR(gru.forward(zeros({4, 2, 5})),
              "GRU: the input is (4, 2, 5) and must be (T, B, 3) with T of at least 1");
  CHECK_ERROR(gru.forward(zeros({4, 2, 3}), integers({1, 2, 3})),
              "GRU: the lengths are (3) and must be (2), one a row of the batch");
  CHECK_ERROR(gru.forward(zeros({4, 2, 3}), integers({1, 5})),
              "GRU: a length is 5, outside [0, 4], the steps there are");
  CHECK_ERROR(gru.forward(zeros({4, 2, 3}), integers({-1, 4})),
              "GRU: a length is -1, outside [0, 4], the steps there are");
  CHECK_ERROR(gru.forward(zeros({4, 2, 3}), zeros({2})), "GRU: the lengths (2) must be i64, and is f32");
  CHECK_ERROR(gru.forward(zeros({4, 2, 3}), Tensor(), zeros({2, 2, 5})),
              "GRU: the state h_0 is (2, 2, 5) and must be (1, 2, 5)");
}
