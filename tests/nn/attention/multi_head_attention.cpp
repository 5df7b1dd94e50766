// Multi-head attention: sequences of queries, heads and causal masks.

#include <gradus/nn/gradcheck.hpp>

#include "nn/attentions.hpp"

namespace nn = gradus::nn;
using gradus::Dtype;
using gradus::Generator;
using gradus::Shape;
using gradus::Tensor;

namespace {

constexpr std::int64_t T_q = 4, T_k = 6, B = 3, E = 8, heads = 2;

struct Example {
  Generator generator{1};
  nn::MultiHeadAttention attention{E, heads};
  Tensor query = random({T_q, B, E}, generator), x = random({T_k, B, E}, generator);
  Tensor lengths = integers({3, T_k, 1});

  Example() {
    gradus::seed(1);
    attention.to(Dtype::f64);
  }
};

std::vector<std::string> shapes_of(const nn::Module& module) {
  std::vector<std::string> shapes;
  for (const auto& [name, parameter] : module.named_parameters()) {
    shapes.push_back(name + " " + parameter.shape().text());
  }
  return shapes;
}

void set(const nn::Module& module, const std::string& name, const Tensor& values) {
  for (auto [known, parameter] : module.named_parameters()) {
    if (known == name) parameter.replace(values);
  }
}

}  // namespace

TEST_CASE("multi-head attention has PyTorch's parameters", "[nn][multi_head]") {
  using Strings = std::vector<std::string>;
  CHECK(shapes_of(nn::MultiHeadAttention(8, 2)) == Strings{"in_proj_weight (24, 8)", "in_proj_bias (24)",
                                                           "out_proj.weight (8, 8)", "out_proj.bias (8)"});
  CHECK(shapes_of(nn::MultiHeadAttention(8, 2, {.bias = false})) ==
        Strings{"in_proj_weight (24, 8)", "out_proj.weight (8, 8)"});
  CHECK(shapes_of(nn::MultiHeadAttention(8, 2, {.key_size = 5})) ==
        Strings{"q_proj_weight (8, 8)", "k_proj_weight (8, 5)", "v_proj_weight (8, 8)", "in_proj_bias (24)",
                "out_proj.weight (8, 8)", "out_proj.bias (8)"});
}

TEST_CASE("multi-head attention is initialised as in PyTorch: Xavier weights, zero biases",
          "[nn][multi_head]") {
  gradus::seed(1);
  const nn::MultiHeadAttention attention(50, 2, {.key_size = 100});
  for (const auto& [name, parameter] : attention.named_parameters()) {
    INFO(name);
    const double largest = max(abs(parameter)).item();
    const double bound = parameter.rank() == 1 ? 0
                         : name == "out_proj.weight"
                             ? 1 / std::sqrt(50.0)
                             : std::sqrt(6.0 / static_cast<double>(50 + parameter.size(1)));
    CHECK(largest <= bound);
    CHECK(largest >= 0.99 * bound);
  }
}

TEST_CASE("each query's weights in each head sum to 1 over the real keys", "[nn][multi_head]") {
  const Example e;
  const Tensor weights = e.attention.forward(e.query, e.x, e.x, {e.lengths}).weights;
  REQUIRE(weights.shape() == Shape{B, heads, T_q, T_k});
  CHECK(mismatch(sum(weights, 3), gradus::ones({B, heads, T_q}), rounding) == "");
  const Tensor seen = greater(weights, gradus::zeros({1}, Dtype::f64));
  const Tensor real = transpose(real_steps(e.lengths, T_k), 0, 1).reshape({B, 1, 1, T_k});
  CHECK(mismatch(seen, expand(real, weights.shape())) == "");
}

TEST_CASE("a causal query sees no later key, neither forward nor backward", "[nn][multi_head]") {
  const Example e;
  const Tensor x = leaf(e.x);
  const auto [output, weights] = e.attention.forward(x, x, x, {.lengths = {}, .causal = true});
  for (std::int64_t i = 0; i < T_k; ++i) {
    const Tensor row = weights.slice(i, i + 1, 2);
    CHECK(mismatch(row.slice(i + 1, T_k, 3), gradus::zeros({B, heads, 1, T_k - i - 1})) == "");
    CHECK(mismatch(sum(row.slice(0, i + 1, 3), 3), gradus::ones({B, heads, 1}), rounding) == "");
  }
  sum(output.slice(0, 3)).backward();
  CHECK(mismatch(x.grad().slice(3, T_k), gradus::zeros({T_k - 3, B, E})) == "");

  const Tensor shorter = x.slice(0, 3).detach();
  const auto prefix = e.attention.forward(shorter, shorter, shorter, {.lengths = {}, .causal = true});
  CHECK(mismatch(output.slice(0, 3), prefix.output, rounding) == "");
}

TEST_CASE("causal queries beyond the number of keys see all keys", "[nn][multi_head]") {
  const Example e;
  const Tensor one = e.x.slice(0, 2);
  const auto causal = e.attention.forward(e.query, one, one, {.lengths = {}, .causal = true});
  const auto all = e.attention.forward(e.query, one, one);
  CHECK(mismatch(causal.output.slice(1, T_q), all.output.slice(1, T_q), rounding) == "");
  CHECK(mismatch(causal.output[0], all.output[0], rounding) != "");
}

TEST_CASE("padding does not affect multi-head attention, and a batch equals its rows", "[nn][multi_head]") {
  const Example e;
  const Tensor garbage = leaf(with_garbage(e.x, e.lengths, 2));
  const auto clean = e.attention.forward(e.query, e.x, e.x, {e.lengths});
  const auto padded = e.attention.forward(e.query, garbage, garbage, {e.lengths});
  CHECK(mismatch(padded.output, clean.output, rounding) == "");
  CHECK(mismatch(padded.weights.slice(0, T_k, 3), clean.weights, rounding) == "");
  sum(padded.output * padded.output).backward();
  CHECK(mismatch(only_padding(garbage.grad(), e.lengths), gradus::zeros(garbage.shape())) == "");

  for (std::int64_t b = 0; b < B; ++b) {
    const auto length = static_cast<std::int64_t>(e.lengths[b].item());
    const Tensor q = e.query.slice(b, b + 1, 1), x = e.x.slice(b, b + 1, 1).slice(0, length);
    CHECK(mismatch(clean.output.slice(b, b + 1, 1), e.attention.forward(q, x, x).output, rounding) == "");
  }
}

TEST_CASE("self-attention has no order: permuting positions permutes the output", "[nn][multi_head]") {
  const Example e;
  const Tensor order = integers({3, 0, 5, 1, 4, 2}), permuted = index_select(e.x, order);
  CHECK(mismatch(e.attention.forward(permuted, permuted, permuted).output,
                 index_select(e.attention.forward(e.x, e.x, e.x).output, order), rounding) == "");
}

TEST_CASE("a row without keys has zero weights, and the bias as output", "[nn][multi_head]") {
  const Example e;
  set(e.attention, "out_proj.bias", gradus::full({E}, 0.5, Dtype::f64));
  const Tensor x = leaf(e.x);
  const auto [output, weights] = e.attention.forward(e.query, x, x, {integers({3, 0, 1})});
  CHECK(mismatch(weights[1], gradus::zeros({heads, T_q, T_k})) == "");
  CHECK(mismatch(output.slice(1, 2, 1), gradus::full({T_q, 1, E}, 0.5)) == "");
  sum(output).backward();
  CHECK(mismatch(x.grad().slice(1, 2, 1), gradus::zeros({T_k, 1, E})) == "");
}

TEST_CASE("one head with identity projections is scaled dot-product attention, also with dropout",
          "[nn][multi_head]") {
  const Example e;
  const double dropout = GENERATE(0.0, 0.5);
  const nn::MultiHeadAttention one(E, 1, {.dropout = dropout});
  const Tensor identity = gradus::one_hot(gradus::arange(E), E);
  set(one, "in_proj_weight", gradus::concat({identity, identity, identity}, 0));
  set(one, "out_proj.weight", identity);
  const nn::ScaledDotProductAttention plain(dropout);

  const Tensor query = e.query[0].to(Dtype::f32), x = e.x.to(Dtype::f32);
  gradus::seed(2);
  const auto expected = plain.attend(query, plain.prepare(x, e.lengths), 0, Tensor());
  gradus::seed(2);
  const auto actual = one.attend(query, one.prepare(x, e.lengths), 0, Tensor());
  CHECK(mismatch(actual.context, expected.context, {1e-6, 1e-6}) == "");
  CHECK(mismatch(actual.weights, expected.weights, {1e-6, 1e-6}) == "");
}

TEST_CASE("in a decoder, multi-head attention takes one query and returns the heads' mean weights",
          "[nn][multi_head]") {
  const Example e;
  const auto all = e.attention.forward(e.query, e.x, e.x, {e.lengths});
  const nn::Memory memory = e.attention.prepare(e.x, e.lengths);
  for (std::int64_t t = 0; t < T_q; ++t) {
    const auto one = e.attention.attend(e.query[t], memory, t, Tensor());
    CHECK(mismatch(one.context, all.output[t], rounding) == "");
    CHECK(mismatch(one.weights, mean(all.weights, 1).slice(t, t + 1, 1).reshape({B, T_k}), rounding) == "");
  }
}

TEST_CASE("in a decoder, multi-head attention takes annotations of another size than its queries",
          "[nn][multi_head]") {
  const Example e;
  nn::MultiHeadAttention attention(E, heads, {.key_size = 5, .value_size = 5});
  attention.to(Dtype::f64);
  const Tensor annotations = e.x.slice(0, 5, 2);
  const auto one = attention.attend(e.query[0], attention.prepare(annotations, e.lengths), 0, Tensor());
  CHECK(one.context.shape() == Shape{B, E});
  CHECK(mismatch(one.context, attention.forward(e.query, annotations, annotations, {e.lengths}).output[0],
                 rounding) == "");
}

TEST_CASE("dropout acts on multi-head attention's output, not on its returned weights, in training only",
          "[nn][multi_head]") {
  nn::MultiHeadAttention attention(E, heads, {.dropout = 0.5});
  const Tensor x = gradus::normal({T_k, B, E}, 0, 1, gradus::default_generator());
  const auto training = attention.forward(x, x, x);
  attention.eval();
  const auto eval = attention.forward(x, x, x);
  CHECK(mismatch(training.weights, eval.weights) == "");
  CHECK(mismatch(training.output, eval.output, {0.01, 0}) != "");
  CHECK(mismatch(attention.forward(x, x, x).output, eval.output) == "");
}

TEST_CASE("multi-head attention has correct gradients", "[nn][multi_head][gradients]") {
  Generator generator(2);
  const Tensor query = random({3, 2, 4}, generator), keys = random({5, 2, 3}, generator),
               values = random({5, 2, 6}, generator), lengths = integers({2, 5});
  nn::MultiHeadAttention self(4, 2), cross(4, 2, {.key_size = 3, .value_size = 6});
  const auto causal = [&](const std::vector<Tensor>& x) {
    return nn::concat_flat(self.forward(x[0], x[0], x[0], {integers({2, 3}), true}).tensors());
  };
  const auto masked = [&](const std::vector<Tensor>& x) {
    return nn::concat_flat(cross.forward(x[0], x[1], x[2], {lengths}).tensors());
  };
  check_gradients(nn::gradcheck(self, causal, {query}), 5);
  check_gradients(nn::gradcheck(cross, masked, {query, keys, values}), 9);
}

TEST_CASE("multi-head attention refuses sizes that do not fit", "[nn][multi_head]") {
  using gradus::zeros;
  CHECK_ERROR(nn::MultiHeadAttention(8, 3),
              "MultiHeadAttention: the number of heads must be at least 1 and divide the size 8, and is 3");
  CHECK_ERROR(nn::MultiHeadAttention(8, 0),
              "MultiHeadAttention: the number of heads must be at least 1 and divide the size 8, and is 0");
  const nn::MultiHeadAttention attention(E, heads);
  const Tensor x = zeros({T_k, B, E});
  CHECK_ERROR(
      attention.forward(x, x, x.slice(0, 2)),
      "MultiHeadAttention: needs queries (T_q, B, E), keys (T_k, B, ·) and values (T_k, B, ·), and got "
      "(6, 3, 8), (6, 3, 8) and (2, 3, 8)");
  CHECK_ERROR(
      attention.forward(x, x.slice(0, 2, 1), x.slice(0, 2, 1)),
      "MultiHeadAttention: needs queries (T_q, B, E), keys (T_k, B, ·) and values (T_k, B, ·), and got "
      "(6, 3, 8), (6, 2, 8) and (6, 2, 8)");
  CHECK_ERROR(
      attention.forward(x[0], x, x),
      "MultiHeadAttention: needs queries (T_q, B, E), keys (T_k, B, ·) and values (T_k, B, ·), and got "
      "(3, 8), (6, 3, 8) and (6, 3, 8)");
  CHECK_ERROR(attention.forward(x, x, zeros({T_k, B, 5})),
              "linear: the last axis of the input (6, 3, 5) must be axis 1 of the weight (8, 8), 8");
  CHECK_ERROR(attention.forward(x, x, x, {integers({1, 2, 7})}),
              "MultiHeadAttention: length 7 is outside [0, 6]");
  CHECK_ERROR(
      attention.attend(zeros({1, E}), attention.prepare(x, Tensor()), 0, Tensor()),
      "MultiHeadAttention: needs queries (T_q, B, E), keys (T_k, B, ·) and values (T_k, B, ·), and got "
      "(1, 1, 8), (6, 3, 8) and (6, 3, 8)");
}

TEST_CASE("multi-head attention refuses a memory whose lengths do not fit", "[nn][multi_head]") {
  const nn::MultiHeadAttention attention(E, heads);
  nn::Memory memory = attention.prepare(gradus::zeros({T_k, B, E}), Tensor());
  memory.lengths = integers({2});
  CHECK_ERROR(attention.attend(gradus::zeros({B, E}), memory, 0, Tensor()),
              "MultiHeadAttention: the lengths are (1) and must be (3), one per row of the batch");
  memory.lengths = integers({2, 1, T_k + 1});
  CHECK_ERROR(attention.attend(gradus::zeros({B, E}), memory, 0, Tensor()),
              "MultiHeadAttention: length 7 is outside [0, 6]");
}
