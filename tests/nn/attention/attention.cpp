// Properties of attention with any score. Sizes differ where possible, so that confused axes raise an error.

#include <gradus/autograd/fused.hpp>
#include <gradus/nn/gradcheck.hpp>

#include "nn/attentions.hpp"

namespace nn = gradus::nn;
using gradus::Dtype;
using gradus::Generator;
using gradus::Shape;
using gradus::Tensor;

namespace {

constexpr std::int64_t T = 6, B = 5, D = AttentionKind::value_size;
constexpr int kinds = std::ssize(attention_kinds);

// A test with an Example runs for every kind of attention, with fused and with composed operations.
struct Example {
  FusedAndComposed both;
  Generator generator{1};
  AttentionKind kind;
  std::unique_ptr<nn::Attention> attention;
  Tensor query, values = random({T, B, D}, generator);
  Tensor lengths = integers({4, T, 1, 3, 5});

  explicit Example(const AttentionKind& given = attention_kinds[GENERATE(range(0, kinds))],
                   double dropout = 0)
      : kind(given), attention(given.make(dropout)), query(random({B, given.query_size}, generator)) {
    UNSCOPED_INFO(kind.name);
    attention->to(Dtype::f64);
  }

  nn::Attention::Result attend(const Tensor& q, const Tensor& v, const Tensor& n) const {
    return attention->attend(q, attention->prepare(v, n), 0, Tensor());
  }
};

// Like Example, but only for the kinds of attention whose context is a weighted sum of the values.
struct Plain : Example {
  explicit Plain(double dropout = 0) : Example(attention_kinds[GENERATE(range(0, kinds - 1))], dropout) {}
};

// Row b of a batch (·, B, ·) as a batch of one, cut to `steps` steps.
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
  CHECK(mismatch(weights, weights * positive.to(Dtype::f64)) == "");  // no weight is negative
}

TEST_CASE("the context is the weighted sum of the values", "[nn][attention]") {
  const Plain e;
  const auto [context, weights] = e.attend(e.query, e.values, e.lengths);
  REQUIRE(context.shape() == Shape{B, D});
  for (std::int64_t b = 0; b < B; ++b) {
    const Tensor h = column(e.values, b, T).reshape({T, D});
    CHECK(mismatch(context[b].reshape({1, D}), matmul(weights[b].reshape({1, T}), h), rounding) == "");
  }
}

TEST_CASE("padding does not affect attention, forward or backward", "[nn][attention]") {
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

TEST_CASE("attention over a batch equals attention over its rows one by one", "[nn][attention]") {
  const Example e;
  const auto batch = e.attend(e.query, e.values, e.lengths);
  for (std::int64_t b = 0; b < B; ++b) {
    const std::int64_t length = static_cast<std::int64_t>(e.lengths[b].item());
    const auto one = e.attend(e.query.slice(b, b + 1), column(e.values, b, length), Tensor());
    CHECK(mismatch(batch.context[b], one.context[0], rounding) == "");
    CHECK(mismatch(batch.weights[b].slice(0, length), one.weights[0], rounding) == "");
  }
}

TEST_CASE("permuting the keys permutes the weights and keeps the context", "[nn][attention]") {
  const Example e;
  const Tensor order = integers({3, 0, 5, 1, 4, 2});
  const auto plain = e.attend(e.query, e.values, Tensor()),
             permuted = e.attend(e.query, index_select(e.values, order), Tensor());
  CHECK(mismatch(permuted.context, plain.context, rounding) == "");
  CHECK(mismatch(transpose(permuted.weights, 0, 1), index_select(transpose(plain.weights, 0, 1), order),
                 rounding) == "");
}

TEST_CASE("one key gives its value", "[nn][attention]") {
  const Plain e;
  const auto [context, weights] = e.attend(e.query, e.values, gradus::full({B}, 1, Dtype::i64));
  CHECK(mismatch(context, e.values[0]) == "");
  CHECK(mismatch(weights.slice(0, 1, 1), gradus::ones({B, 1})) == "");
}

TEST_CASE("with equal scores the context is the mean of the real values", "[nn][attention]") {
  const Plain e;
  for (const auto& [name, parameter] : e.attention->named_parameters()) {
    if (name == "v_a") overwrite(parameter, 0);
  }
  const Tensor zero = gradus::zeros(e.query.shape(), Dtype::f64);
  const auto [context, weights] = e.attend(zero, e.values, e.lengths);
  const Tensor total = sum(only_real(e.values, e.lengths), 0);
  CHECK(mismatch(context, total / e.lengths.to(Dtype::f64).reshape({B, 1}), rounding) == "");
}

TEST_CASE("a source without tokens gives zeros, and has no gradient", "[nn][attention]") {
  const Example e;
  const Tensor query = leaf(e.query), values = leaf(e.values);
  const auto [context, weights] = e.attend(query, values, integers({4, 0, 1, 3, 5}));
  // The context is 0 with multi-head attention, too, because its biases start at 0.
  CHECK(mismatch(context[1], gradus::zeros({D})) == "");
  CHECK(mismatch(weights[1], gradus::zeros({T})) == "");

  (sum(context) + sum(weights)).backward();
  CHECK(mismatch(query.grad()[1], gradus::zeros({e.kind.query_size})) == "");
  CHECK(mismatch(column(values.grad(), 1, T), gradus::zeros({T, 1, D})) == "");
}

TEST_CASE("in training, dropout acts on the weights used for the context", "[nn][attention]") {
  const Plain e(0.5);
  gradus::seed(1);
  const auto [context, weights] = e.attend(e.query, e.values, e.lengths);
  gradus::seed(1);
  const Tensor used = dropout(weights, 0.5, gradus::default_generator());
  CHECK(mismatch(sum(weights, 1), gradus::ones({B}), rounding) == "");
  CHECK(mismatch(context, weighted_sum(used, e.values, e.lengths), rounding) == "");
  CHECK(mismatch(used, weights, {0.1, 0}) != "");
}

TEST_CASE("in eval mode no weights are dropped", "[nn][attention]") {
  const Plain e(0.5);
  e.attention->eval();
  const auto [context, weights] = e.attend(e.query, e.values, e.lengths);
  CHECK(mismatch(context, weighted_sum(weights, e.values, e.lengths), rounding) == "");
}

TEST_CASE("attention weights depend on the query and on the keys", "[nn][attention]") {
  const Example e;
  const Tensor weights = e.attend(e.query, e.values, e.lengths).weights;
  CHECK(mismatch(e.attend(e.query + 1.0, e.values, e.lengths).weights, weights, {1e-3, 0}) != "");
  CHECK(mismatch(e.attend(e.query, e.values * 2.0, e.lengths).weights, weights, {1e-3, 0}) != "");
}

TEST_CASE("the default prepare() stores values and lengths", "[nn][attention]") {
  const nn::DotProductAttention attention;
  const Tensor values = gradus::ones({T, B, D}), lengths = integers({1, 2, 3, 4, 5});
  const nn::Memory memory = attention.prepare(values, lengths);
  CHECK(memory.values.is(values));
  CHECK(memory.lengths.is(lengths));
  CHECK_FALSE(memory.keys.defined());
}

TEST_CASE("every attention refuses values and lengths that do not fit", "[nn][attention]") {
  const auto attention = attention_kinds[GENERATE(range(0, kinds))].make(0);
  const Tensor values = gradus::zeros({T, B, D});
  CHECK_ERROR(attention->prepare(values[0], Tensor()),
              "Attention: the values are (5, 4) and must be (T, B, D)");
  CHECK_ERROR(attention->prepare(values, integers({1, 2})),
              "Attention: the lengths are (2) and must be (5), one per row of the batch");
  CHECK_ERROR(attention->prepare(values, integers({1, 2, 3, 4, 7})), "Attention: length 7 is outside [0, 6]");
}

TEST_CASE("attention refuses a dropout probability of 1", "[nn][attention]") {
  const AttentionKind& kind = attention_kinds[GENERATE(range(0, kinds))];
  CHECK_ERROR(kind.make(1), "Dropout: the probability must be in [0, 1), and is 1");
}

TEST_CASE("additive attention refuses sizes that do not fit", "[nn][attention]") {
  using gradus::zeros;
  const nn::AdditiveAttention attention(3, D, 7);
  const nn::Memory memory = attention.prepare(zeros({T, B, D}), Tensor());
  CHECK_ERROR(attention.prepare(zeros({T, B, 3}), Tensor()),
              "linear: the last axis of the input (6, 5, 3) must be axis 1 of the weight (7, 4), 4 [in U_a]");
  CHECK_ERROR(attention.attend(zeros({B, D}), memory, 0, Tensor()),
              "linear: the last axis of the input (5, 4) must be axis 1 of the weight (7, 3), 3 [in W_a]");
  CHECK_ERROR(
      attention.attend(zeros({2, 3}), memory, 0, Tensor()),
      "additive_energy: needs a query (B, A), keys (T, B, A) and v (A), and got (2, 7), (6, 5, 7) and "
      "(7)");
}

TEST_CASE("dot-product attention refuses queries of another size than the values", "[nn][attention]") {
  const auto attention = attention_kinds[GENERATE(1, 2)].make(0);
  const nn::Memory memory = attention->prepare(gradus::zeros({T, B, D}), Tensor());
  CHECK_ERROR(attention->attend(gradus::zeros({B, 3}), memory, 0, Tensor()),
              "DotProductAttention: the query is (5, 3) and must be (5, 4) for values (6, 5, 4); "
              "if the sizes differ, project one of them (nn::Linear) or use AdditiveAttention");
  CHECK_ERROR(attention->attend(gradus::zeros({1, D}), memory, 0, Tensor()),
              "DotProductAttention: the query is (1, 4) and must be (5, 4) for values (6, 5, 4); "
              "if the sizes differ, project one of them (nn::Linear) or use AdditiveAttention");
}

TEST_CASE("attention has correct gradients, with and without lengths", "[nn][attention][gradients]") {
  const Example e;
  const Tensor lengths = GENERATE(Tensor(), integers({4, T, 1, 3, 5}));
  const auto attend = [&](const std::vector<Tensor>& x) {
    return nn::concat_flat(e.attend(x[0], x[1], lengths).tensors());
  };
  check_gradients(nn::gradcheck(*e.attention, attend, {e.query, e.values}),
                  2 + e.attention->parameters().size());
}
