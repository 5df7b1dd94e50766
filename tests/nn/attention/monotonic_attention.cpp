// Monotonic attention: equations, gradients, masks, the left-to-right walk when decoding, and errors.

#include <gradus/nn/gradcheck.hpp>
#include <gradus/nn/monotonic_attention.hpp>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "nn/against_golden.hpp"

namespace nn = gradus::nn;
using Catch::Approx;
using gradus::Dtype;
using gradus::NamedTensors;
using gradus::Tensor;

namespace {

constexpr std::int64_t T = 6, B = 6, Q = 3, D = 4, A = 7;

struct Example {
  FusedAndComposed both;
  gradus::Generator generator{1};
  nn::MonotonicAttention attention;
  Tensor query = random({B, Q}, generator), values = random({T, B, D}, generator);
  Tensor lengths = integers({4, T, 1, 3, 5, 0});
  Tensor before = masked_softmax(random({B, T}, generator), lengths);

  explicit Example(nn::MonotonicOptions options = {.noise = 0}) : attention(Q, D, A, options) {
    attention.to(Dtype::f64);
  }

  nn::Attention::Result attend(const Tensor& v, const Tensor& n, const Tensor& previous) const {
    return attention.attend(query, attention.prepare(v, n), 1, previous);
  }
};

Tensor uniform(const gradus::Shape& shape, gradus::Generator& generator) {
  return sigmoid(random(shape, generator));
}

// The recurrence of Raffel et al. 2017, eq. 8 and 9, computed element by element.
std::vector<double> by_elements(const Tensor& p, const Tensor& previous) {
  std::vector<double> weights;
  for (std::int64_t b = 0; b < p.size(0); ++b) {
    double q = 0;
    for (std::int64_t j = 0; j < p.size(1); ++j) {
      q = (j > 0 ? (1 - p[b][j - 1].item()) * q : 0) + previous[b][j].item();
      weights.push_back(p[b][j].item() * q);
    }
  }
  return weights;
}

// The first position j in [first, length) for which stops(j) is true. Returns −1 if there is none, or if
// `first` is negative. Does not call stops() for later positions.
std::int64_t walk(std::int64_t first, std::int64_t length, const std::function<bool(std::int64_t)>& stops) {
  if (first < 0) return -1;
  for (std::int64_t j = first; j < length; ++j) {
    if (stops(j)) return j;
  }
  return -1;
}

}  // namespace

TEST_CASE("MonotonicAttention gives the paper's equations", "[nn][golden]") {
  const FusedAndComposed both;
  const Golden golden("monotonic_attention");
  const nn::MonotonicAttention attention(3, 5, 4, {.noise = 0});
  check_against(golden, attention, [&](const Leaves& leaf) {
    const nn::Memory memory = attention.prepare(leaf.at("values"), golden["lengths"]);
    const auto [context, weights] = attention.attend(leaf.at("query"), memory, 1, leaf.at("before"));
    return NamedTensors{{"context", context}, {"weights", weights}};
  });
}

TEST_CASE("monotonic weights equal the recurrence element by element", "[nn][attention]") {
  gradus::Generator generator(2);
  const std::int64_t width = GENERATE(1, 2, 3, 8, 37);
  const Tensor p = uniform({3, width}, generator), previous = softmax(random({3, width}, generator));
  CHECK(mismatch(nn::monotonic_weights(p, previous),
                 gradus::tensor(by_elements(p, previous)).reshape({3, width}), rounding) == "");
}

TEST_CASE("monotonic weights have correct gradients, also for p of 0 and 1", "[nn][attention][gradients]") {
  gradus::Generator generator(3);
  const Tensor p = leaf(uniform({4, 5}, generator) *
                        gradus::tensor({1.0, 0.0, 1.0, 1.0, 1.0}).to(Dtype::f64)),
               previous = leaf(uniform({4, 5}, generator));
  const auto f = [](const std::vector<Tensor>& x) { return nn::monotonic_weights(x[0], x[1]); };
  CHECK(gradus::gradcheck(f, {p, previous}).passed());
}

// The paper's closed form divides by a product of 1 − p. Here the product is 0, or below the smallest double.
TEST_CASE("monotonic weights stay exact where the closed form divides by 0", "[nn][attention]") {
  const std::int64_t width = 2000;
  const Tensor previous = one_hot(integers({0, 0}), width, Dtype::f64);
  const Tensor p = leaf(gradus::concat(
      {gradus::full({1, width}, 0.9, Dtype::f64),
       gradus::concat({gradus::ones({1, 1}, Dtype::f64), gradus::zeros({1, width - 1}, Dtype::f64)}, 1)},
      0));
  const Tensor alpha = nn::monotonic_weights(p, previous);
  CHECK(alpha[0][0].item() == Approx(0.9));
  CHECK(alpha[0][100].item() == Approx(0.9 * std::pow(0.1, 100)));
  CHECK(alpha[1][0].item() == 1);
  CHECK(sum(alpha[1]).item() == 1);
  sum(alpha).backward();
  for (const double gradient : p.grad().to_vector<double>()) REQUIRE(std::isfinite(gradient));
}

TEST_CASE("monotonic attention has correct gradients over two steps", "[nn][attention][gradients]") {
  Example e({.noise = GENERATE(0.0, 1.0)});
  const auto attend = [&](const std::vector<Tensor>& x) {
    e.attention.train();  // gradcheck selects eval mode, whose walk has no gradient
    gradus::seed(4);      // every call must draw the same noise
    const nn::Memory memory = e.attention.prepare(x[1], e.lengths);
    const auto first = e.attention.attend(x[0], memory, 0, Tensor());
    return nn::concat_flat(e.attention.attend(x[0], memory, 1, first.weights).tensors());
  };
  check_gradients(nn::gradcheck(e.attention, attend, {leaf(e.query), leaf(e.values)}),
                  e.attention.parameters().size() + 2);
}

TEST_CASE("padding does not affect monotonic attention, and gets no weight", "[nn][attention]") {
  Example e;
  if (GENERATE(false, true)) e.attention.eval();
  const Tensor garbage = leaf(with_garbage(e.values, e.lengths));
  const auto clean = e.attend(e.values, e.lengths, e.before), padded = e.attend(garbage, e.lengths, e.before);
  CHECK(mismatch(padded.context, clean.context) == "");
  CHECK(mismatch(padded.weights, clean.weights) == "");
  for (std::int64_t b = 0; b < B; ++b) {
    const auto length = static_cast<std::int64_t>(e.lengths[b].item());
    for (std::int64_t j = length; j < T; ++j) CHECK(padded.weights[b][j].item() == 0);
    CHECK(sum(padded.weights[b]).item() <= 1 + 1e-12);
  }
  CHECK(mismatch(padded.context[B - 1], gradus::zeros({D}, Dtype::f64)) == "");  // the last row has length 0
  (sum(padded.context) + sum(padded.weights * padded.weights)).backward();
  CHECK(mismatch(only_padding(garbage.grad(), e.lengths), gradus::zeros({T, B, D}, Dtype::f64)) == "");
}

TEST_CASE("monotonic attention over a batch equals that over its rows one by one", "[nn][attention]") {
  const Example e;
  const auto batch = e.attend(e.values, e.lengths, e.before);
  for (std::int64_t b = 0; b + 1 < B; ++b) {
    const auto length = static_cast<std::int64_t>(e.lengths[b].item());
    const nn::Memory memory = e.attention.prepare(e.values.slice(b, b + 1, 1).slice(0, length), Tensor());
    const auto one =
        e.attention.attend(e.query.slice(b, b + 1), memory, 1, e.before.slice(b, b + 1).slice(0, length, 1));
    CHECK(mismatch(batch.context[b], one.context[0], rounding) == "");
    CHECK(mismatch(batch.weights[b].slice(0, length), one.weights[0], rounding) == "");
  }
}

TEST_CASE("in eval mode, monotonic attention walks over the annotations one by one", "[nn][attention]") {
  Example e({.noise = 1, .bias = 0});
  nn::MonotonicAttention quiet(Q, D, A, {.noise = 0});  // in training, one annotation has the weight σ(e)
  const std::vector<Tensor> parameters = e.attention.parameters();
  for (std::size_t k = 0; k < parameters.size(); ++k) quiet.parameters()[k].replace(parameters[k].clone());
  const auto stops = [&](std::int64_t b) {
    return [&, b](std::int64_t j) {
      const nn::Memory one = quiet.prepare(e.values.slice(b, b + 1, 1).slice(j, j + 1), Tensor());
      return quiet.attend(e.query.slice(b, b + 1), one, 0, Tensor()).weights.item() > 0.5;
    };
  };
  e.attention.eval();
  std::int64_t stopped = 0, left = 0;
  std::vector<std::int64_t> at(B, 0);
  Tensor previous;
  for (std::int64_t step = 0; step < 3; ++step) {
    const auto [context, weights] = e.attend(e.values, e.lengths, previous);
    for (std::int64_t b = 0; b < B; ++b) {
      std::int64_t& position = at[static_cast<std::size_t>(b)];
      position = walk(position, static_cast<std::int64_t>(e.lengths[b].item()), stops(b));
      const Tensor expected =
          position < 0 ? gradus::zeros({T}, Dtype::f64) : one_hot(integers({position}), T, Dtype::f64)[0];
      CHECK(mismatch(weights[b], expected) == "");
      CHECK(mismatch(context[b], position < 0 ? gradus::zeros({D}, Dtype::f64) : e.values[position][b]) ==
            "");
      ++(position < 0 ? left : stopped);
    }
    previous = weights;
  }
  CHECK(stopped > 0);  // both endings of a walk occur
  CHECK(left > 0);
}

TEST_CASE("what is after the walk's stop does not change the context", "[nn][attention]") {
  Example e({.bias = 0});
  e.attention.eval();
  const auto [context, weights] = e.attend(e.values, Tensor(), Tensor());
  for (std::int64_t b = 0; b < B; ++b) {
    if (sum(weights[b]).item() == 0) continue;
    const auto heard = static_cast<std::int64_t>(argmax(weights[b]).item()) + 1;
    const nn::Memory memory = e.attention.prepare(e.values.slice(b, b + 1, 1).slice(0, heard), Tensor());
    CHECK(mismatch(e.attention.attend(e.query.slice(b, b + 1), memory, 0, Tensor()).context[0], context[b]) ==
          "");
  }
}

TEST_CASE("a lower bias lets monotonic attention look farther", "[nn][attention]") {
  const Example e;
  const auto centre = [&](double bias) {
    Tensor(e.attention.r).replace(gradus::full({}, bias, Dtype::f64));
    const Tensor alpha = e.attend(e.values, Tensor(), Tensor()).weights;
    return (sum(alpha * gradus::arange(T).to(Dtype::f64)) / sum(alpha)).item();
  };
  CHECK(centre(-4) > centre(-1));
  CHECK(centre(-1) > centre(2));
}

TEST_CASE("monotonic attention refuses options and weights that do not fit", "[nn][attention]") {
  CHECK_ERROR(nn::MonotonicAttention(3, 4, 7, {.noise = -1}),
              "MonotonicAttention: the noise must be finite and at least 0, and is -1");
  CHECK_ERROR(nn::MonotonicAttention(3, 4, 7, {.noise = std::numeric_limits<double>::infinity()}),
              "MonotonicAttention: the noise must be finite and at least 0, and is inf");
  CHECK_ERROR(nn::MonotonicAttention(3, 4, 7, {.scale = 0}),
              "MonotonicAttention: the scale must be finite and not 0, and is 0");
  const Example e;
  CHECK_ERROR(e.attend(e.values, e.lengths, e.before.slice(0, 4, 1)),
              "MonotonicAttention: the previous weights are (6, 4) and must be (6, 6) for values (6, 6, 4)");
  CHECK_ERROR(nn::monotonic_weights(gradus::ones({2, 3}), gradus::ones({2, 4})),
              "monotonic_weights: needs p (B, T) and previous weights of the same shape, and got (2, 3) and "
              "(2, 4)");
}
