// What must hold of attention whatever its weights. All sizes differ, so that none can stand for another.

#include <gradus/nn/additive_attention.hpp>

#include "nn/helpers.hpp"

namespace nn = gradus::nn;
using gradus::Dtype;
using gradus::Generator;
using gradus::Shape;
using gradus::Tensor;

namespace {

constexpr std::int64_t T = 6, B = 5, Q = 3, D = 4, A = 7;

struct Example {
  FusedAndComposed both;
  Generator generator{1};
  nn::AdditiveAttention attention{Q, D, A};
  Tensor query = random({B, Q}, generator), values = random({T, B, D}, generator);
  Tensor lengths = integers({4, T, 1, 3, 5});

  Example() { attention.to(Dtype::f64); }

  nn::Attention::Result attend(const Tensor& q, const Tensor& v, const Tensor& n) const {
    return attention.attend(q, attention.prepare(v, n), 0, Tensor());
  }
};

// Row b of a batch (·, B, ·), as a batch of one.
Tensor column(const Tensor& x, std::int64_t b, std::int64_t steps) {
  return x.slice(b, b + 1, 1).slice(0, steps);
}

}  // namespace

TEST_CASE("weights sum to 1 over the source, and are 0 beyond its length", "[nn][attention]") {
  const Example e;
  const Tensor weights = e.attend(e.query, e.values, e.lengths).weights;
  REQUIRE(weights.shape() == Shape{B, T});
  CHECK(mismatch(sum(weights, 1), gradus::ones({B}), rounding) == "");
  const Tensor positive = greater(weights, gradus::zeros({1}, Dtype::f64));
  CHECK(mismatch(transpose(positive, 0, 1), real_steps(e.lengths, T)) == "");
  CHECK(mismatch(weights, weights * positive.to(Dtype::f64)) == "");  // none is negative
}

TEST_CASE("the context is the weighted sum of the values", "[nn][attention]") {
  const Example e;
  const auto [context, weights] = e.attend(e.query, e.values, e.lengths);
  REQUIRE(context.shape() == Shape{B, D});
  for (std::int64_t b = 0; b < B; ++b) {
    const Tensor h = column(e.values, b, T).reshape({T, D});
    CHECK(mismatch(context[b].reshape({1, D}), matmul(weights[b].reshape({1, T}), h), rounding) == "");
  }
}

TEST_CASE("attention sees no padding, neither forward nor backward", "[nn][attention]") {
  const Example e;
  const Tensor garbage = leaf(with_garbage(e.values, e.lengths));
  const auto clean = e.attend(e.query, e.values, e.lengths), padded = e.attend(e.query, garbage, e.lengths);
  CHECK(mismatch(padded.context, clean.context) == "");
  CHECK(mismatch(padded.weights, clean.weights) == "");

  (sum(padded.context) + sum(padded.weights * padded.weights)).backward();
  const Tensor none = gradus::zeros(garbage.shape(), Dtype::f64);
  CHECK(mismatch(only_padding(garbage.grad(), e.lengths), none) == "");
}

TEST_CASE("longer padding changes nothing", "[nn][attention]") {
  const Example e;
  const auto clean = e.attend(e.query, e.values, e.lengths),
             longer = e.attend(e.query, with_garbage(e.values, e.lengths, 3), e.lengths);
  CHECK(mismatch(longer.context, clean.context, rounding) == "");
  CHECK(mismatch(longer.weights.slice(0, T, 1), clean.weights, rounding) == "");
  CHECK(mismatch(longer.weights.slice(T, T + 3, 1), gradus::zeros({B, 3})) == "");
}

TEST_CASE("a batch attends as its rows do one by one, without padding", "[nn][attention]") {
  const Example e;
  const auto batch = e.attend(e.query, e.values, e.lengths);
  for (std::int64_t b = 0; b < B; ++b) {
    const std::int64_t length = static_cast<std::int64_t>(e.lengths[b].item());
    const auto one = e.attend(e.query.slice(b, b + 1), column(e.values, b, length), Tensor());
    CHECK(mismatch(batch.context[b], one.context[0], rounding) == "");
    CHECK(mismatch(batch.weights[b].slice(0, length), one.weights[0], rounding) == "");
  }
}

TEST_CASE("permuting the keys permutes the weights, and leaves the context", "[nn][attention]") {
  const Example e;
  const Tensor order = integers({3, 0, 5, 1, 4, 2});
  const auto plain = e.attend(e.query, e.values, Tensor()),
             permuted = e.attend(e.query, index_select(e.values, order), Tensor());
  CHECK(mismatch(permuted.context, plain.context, rounding) == "");
  CHECK(mismatch(transpose(permuted.weights, 0, 1), index_select(transpose(plain.weights, 0, 1), order),
                 rounding) == "");
}

TEST_CASE("one key gives its value", "[nn][attention]") {
  const Example e;
  const auto [context, weights] = e.attend(e.query, e.values, gradus::full({B}, 1, Dtype::i64));
  CHECK(mismatch(context, e.values[0]) == "");
  CHECK(mismatch(weights.slice(0, 1, 1), gradus::ones({B, 1})) == "");
}

TEST_CASE("v_a = 0 gives the mean of the real values", "[nn][attention]") {
  const Example e;
  overwrite(e.attention.v_a, 0);
  const auto [context, weights] = e.attend(e.query, e.values, e.lengths);
  const Tensor total = sum(only_real(e.values, e.lengths), 0);
  CHECK(mismatch(context, total / e.lengths.to(Dtype::f64).reshape({B, 1}), rounding) == "");
}

TEST_CASE("a source without a token gives zeros", "[nn][attention]") {
  const Example e;
  const auto [context, weights] = e.attend(e.query, e.values, integers({4, 0, 1, 3, 5}));
  CHECK(mismatch(context[1], gradus::zeros({D})) == "");
  CHECK(mismatch(weights[1], gradus::zeros({T})) == "");
}

TEST_CASE("where attention looks depends on the query and on the keys", "[nn][attention]") {
  const Example e;
  const Tensor weights = e.attend(e.query, e.values, e.lengths).weights;
  CHECK(mismatch(e.attend(e.query + 1.0, e.values, e.lengths).weights, weights, {1e-3, 0}) != "");
  CHECK(mismatch(e.attend(e.query, e.values * 2.0, e.lengths).weights, weights, {1e-3, 0}) != "");
}

TEST_CASE("attention without keys of its own remembers values and lengths", "[nn][attention]") {
  struct Blind : nn::Attention {
    Result attend(const Tensor&, const nn::Memory&, std::int64_t, const Tensor&) const override { return {}; }
  };
  const Tensor values = gradus::ones({T, B, D}), lengths = integers({1, 2, 3, 4, 5});
  const nn::Memory memory = Blind().prepare(values, lengths);
  CHECK(memory.values.is(values));
  CHECK(memory.lengths.is(lengths));
  CHECK_FALSE(memory.keys.defined());
}

TEST_CASE("attention refuses sizes that do not fit", "[nn][attention]") {
  using gradus::zeros;
  const nn::AdditiveAttention attention(Q, D, A);
  const Tensor values = zeros({T, B, D});
  CHECK_ERROR(attention.prepare(values[0], Tensor()),
              "Attention: the values are (5, 4) and must be (T, B, D)");
  CHECK_ERROR(attention.prepare(zeros({T, B, Q}), Tensor()),
              "linear: the last axis of the input (6, 5, 3) must be axis 1 of the weight (7, 4), 4 [in U_a]");
  CHECK_ERROR(attention.prepare(values, integers({1, 2})),
              "Attention: the lengths are (2) and must be (5), one a row of the batch");
  CHECK_ERROR(attention.prepare(values, integers({1, 2, 3, 4, 7})),
              "Attention: a length is 7, outside [0, 6], the steps there are");
  CHECK_ERROR(attention.attend(zeros({B, D}), attention.prepare(values, Tensor()), 0, Tensor()),
              "linear: the last axis of the input (5, 4) must be axis 1 of the weight (7, 3), 3 [in W_a]");
  CHECK_ERROR(
      attention.attend(zeros({2, Q}), attention.prepare(values, Tensor()), 0, Tensor()),
      "additive_energy: needs a query (B, A), keys (T, B, A) and v (A), and got (2, 7), (6, 5, 7) and "
      "(7)");
}
