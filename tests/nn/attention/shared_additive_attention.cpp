// Additive attention with one matrix for query and values.

#include <gradus/nn/additive_attention.hpp>
#include <gradus/nn/gradcheck.hpp>
#include <gradus/nn/shared_additive_attention.hpp>

#include <cmath>
#include <vector>

#include "nn/helpers.hpp"

namespace nn = gradus::nn;
using gradus::Dtype;
using gradus::Tensor;

namespace {

constexpr std::int64_t Q = 3, A = 5, T = 4, B = 2;

// The attention, a batch of queries, and the values. Each value consists of `parts` states.
struct Example {
  std::int64_t parts;
  gradus::Generator generator{7};
  nn::SharedAdditiveAttention attention;
  Tensor query, values, lengths = integers({3, T});

  explicit Example(std::int64_t given)
      : parts(given),
        attention(Q, parts * Q, A),
        query(leaf(random({B, Q}, generator))),
        values(leaf(random({T, B, parts * Q}, generator))) {
    attention.to(Dtype::f64);
  }

  nn::Attention::Result attend(const nn::Attention& with) const {
    return with.attend(query, with.prepare(values, lengths), 0, Tensor());
  }
};

// The weights of the equation, by loops: e_j = v_a · tanh(W_a s + Σ_d W_a h_j^(d)), then a softmax.
std::vector<double> plain_weights(const Example& e, std::int64_t b) {
  const Tensor W = e.attention.W_a.weight;
  const auto length = e.lengths[b].values<std::int64_t>()[0];
  std::vector<double> weights;
  double total = 0;
  for (std::int64_t j = 0; j < length; ++j) {
    double energy = 0;
    for (std::int64_t a = 0; a < A; ++a) {
      double inside = 0;
      for (std::int64_t q = 0; q < Q; ++q) {
        inside += W[a][q].item() * e.query[b][q].item();
        for (std::int64_t d = 0; d < e.parts; ++d)
          inside += W[a][q].item() * e.values[j][b][d * Q + q].item();
      }
      energy += e.attention.v_a[a].item() * std::tanh(inside);
    }
    weights.push_back(std::exp(energy));
    total += weights.back();
  }
  for (double& weight : weights) weight /= total;
  weights.resize(T);
  return weights;
}

}  // namespace

TEST_CASE("SharedAdditiveAttention gives the equation's weights and context", "[nn][attention]") {
  const FusedAndComposed both;
  const Example e(GENERATE(1, 2, 3));
  const auto [context, weights] = e.attend(e.attention);
  for (std::int64_t b = 0; b < B; ++b) {
    const std::vector<double> expected = plain_weights(e, b);
    for (std::int64_t i = 0; i < e.parts * Q; ++i) {
      double sum = 0;
      for (std::int64_t j = 0; j < T; ++j)
        sum += expected[static_cast<std::size_t>(j)] * e.values[j][b][i].item();
      CHECK(std::abs(context[b][i].item() - sum) < 1e-12);
    }
    CHECK(mismatch(weights[b], gradus::tensor(expected, {T}), rounding) == "");
  }
}

TEST_CASE("SharedAdditiveAttention equals AdditiveAttention if U_a repeats W_a, also in its gradients",
          "[nn][attention]") {
  const FusedAndComposed both;
  Example e(2);
  nn::AdditiveAttention separate(Q, 2 * Q, A);
  const Tensor W = e.attention.W_a.weight;
  separate.to(Dtype::f64);
  separate.load_state_dict(
      {{"W_a.weight", W}, {"U_a.weight", gradus::concat({W, W}, 1)}, {"v_a", e.attention.v_a}});
  const Tensor d_context = random({B, 2 * Q}, e.generator), d_weights = random({B, T}, e.generator);
  const auto gradients = [&](const nn::Attention& attention) {
    e.query.zero_grad();
    e.values.zero_grad();
    const auto [context, weights] = e.attend(attention);
    (sum(context * d_context) + sum(weights * d_weights)).backward();
    return std::vector<Tensor>{context.detach(), weights.detach(), e.query.grad().clone(),
                               e.values.grad().clone()};
  };
  const std::vector<Tensor> shared = gradients(e.attention), expected = gradients(separate);
  for (std::size_t i = 0; i < shared.size(); ++i) {
    INFO(i);
    CHECK(mismatch(shared[i], expected[i], rounding) == "");
  }
  const Tensor d_U = separate.U_a.weight.grad();
  CHECK(mismatch(W.grad(), separate.W_a.weight.grad() + d_U.slice(0, Q, 1) + d_U.slice(Q, 2 * Q, 1),
                 rounding) == "");
  CHECK(mismatch(e.attention.v_a.grad(), separate.v_a.grad(), rounding) == "");
}

TEST_CASE("SharedAdditiveAttention has correct gradients for values of one, two and three parts",
          "[nn][attention][gradients]") {
  const FusedAndComposed both;
  Example e(GENERATE(1, 2, 3));
  const Tensor lengths = GENERATE(Tensor(), integers({3, T}), integers({0, T}));
  const auto attend = [&](const std::vector<Tensor>& x) {
    const nn::Memory memory = e.attention.prepare(x[1], lengths);
    return nn::concat_flat(e.attention.attend(x[0], memory, 0, Tensor()).tensors());
  };
  check_gradients(nn::gradcheck(e.attention, attend, {e.query.detach(), e.values.detach()}), 4);
}

TEST_CASE("SharedAdditiveAttention has a single matrix, whatever the number of parts", "[nn][attention]") {
  const nn::SharedAdditiveAttention one(Q, Q, A), two(Q, 2 * Q, A);
  CHECK(one.parameter_count() == A * Q + A);
  CHECK(two.parameter_count() == A * Q + A);
  CHECK(nn::AdditiveAttention(Q, 2 * Q, A).parameter_count() == 3 * A * Q + A);
}

TEST_CASE("SharedAdditiveAttention has a score for the fused decoder, unless derived or without softmax",
          "[nn][attention]") {
  nn::SharedAdditiveAttention attention(Q, 2 * Q, A, 0.25);
  const auto score = attention.fused_score(2 * Q);
  REQUIRE(score);
  CHECK(score->W_a.is(attention.W_a.weight));
  CHECK(score->v_a.is(attention.v_a));
  CHECK(score->dropout == 0.25);
  attention.set_normaliser(nn::normaliser::sparsemax());
  CHECK(!attention.fused_score(2 * Q));
  struct Own : nn::SharedAdditiveAttention {
    using SharedAdditiveAttention::SharedAdditiveAttention;
  };
  CHECK(!Own(Q, 2 * Q, A).fused_score(2 * Q));
}

TEST_CASE("SharedAdditiveAttention refuses sizes that do not fit", "[nn][attention][errors]") {
  using gradus::zeros;
  CHECK_ERROR(
      nn::SharedAdditiveAttention(3, 8, 5),
      "SharedAdditiveAttention: the size of the values, 8, must be a multiple of the query's size, 3; "
      "give encoder and decoder the same hidden size (--hidden), or use AdditiveAttention");
  CHECK_ERROR(
      nn::SharedAdditiveAttention(6, 3, 5),
      "SharedAdditiveAttention: the size of the values, 3, must be a multiple of the query's size, 6; "
      "give encoder and decoder the same hidden size (--hidden), or use AdditiveAttention");
  CHECK_ERROR(nn::SharedAdditiveAttention(0, 3, 5),
              "SharedAdditiveAttention: needs queries of at least 1, and got 0");
  CHECK_ERROR(nn::SharedAdditiveAttention(3, 0, 5),
              "SharedAdditiveAttention: needs values of at least 1, and got 0");
  CHECK_ERROR(nn::SharedAdditiveAttention(3, 6, 0), "Linear: needs outputs of at least 1, and got 0");
  const nn::SharedAdditiveAttention attention(3, 6, 5);
  CHECK_ERROR(attention.prepare(zeros({T, B, 3}), Tensor()),
              "SharedAdditiveAttention: the values are (4, 2, 3) and must be (T, B, 6)");
  const nn::Memory memory = attention.prepare(zeros({T, B, 6}), Tensor());
  CHECK_ERROR(attention.attend(zeros({B, 6}), memory, 0, Tensor()),
              "linear: the last axis of the input (2, 6) must be axis 1 of the weight (5, 3), 3 [in W_a]");
}
