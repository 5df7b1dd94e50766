// The attentions of Luong et al. 2015, added at the extension point nn::Attention. Each is a class of a few
// lines. Decoders, training and decoding need no change.

#include <gradus/autograd/fused.hpp>
#include <gradus/models/bahdanau_decoder.hpp>
#include <gradus/nn/additive_attention.hpp>
#include <gradus/nn/dot_product_attention.hpp>
#include <gradus/nn/multi_head_attention.hpp>
#include <gradus/nn/scored_attention.hpp>

#include <limits>

#include "models/extension.hpp"
#include "models/luong_decoder.hpp"

namespace models = gradus::models;
namespace nn = gradus::nn;
using gradus::Dtype;
using gradus::Scope;
using gradus::Tensor;

namespace {

// e_tj = s_t · W_a h_j   (section 3.1, general)
class General : public nn::ScoredAttention {
 public:
  General(std::int64_t query, std::int64_t values) : W_a(values, query, false) { add_module("W_a", W_a); }
  nn::Memory prepare(const Tensor& values, const Tensor& lengths) const override {
    const Scope scope = enter();
    return {values, W_a.forward(values), lengths};
  }
  nn::Linear W_a;

 protected:
  Tensor energies(const Tensor& query, const nn::Memory& memory, std::int64_t, const Tensor&) const override {
    return transpose(sum(memory.keys * query, 2), 0, 1);
  }
};

// e_tj = v_a · tanh(W_a [s_t; h_j])   (section 3.1, concat)
class Concat : public nn::ScoredAttention {
 public:
  Concat(std::int64_t query, std::int64_t values) : W_a(query + values, 3, false), v_a(3, 1, false) {
    add_module("W_a", W_a);
    add_module("v_a", v_a);
  }
  nn::Linear W_a, v_a;

 private:
  Tensor energies(const Tensor& query, const nn::Memory& memory, std::int64_t, const Tensor&) const override {
    const Tensor& h = memory.values;
    const Tensor s = expand(query, {h.size(0), h.size(1), query.size(1)});
    return transpose(squeeze(v_a.forward(tanh(W_a.forward(gradus::concat({s, h}, 2)))), 2), 0, 1);
  }
};

// e_t = W_a s_t (section 3.1, location). The energies do not depend on the source.
class Location : public nn::ScoredAttention {
 public:
  Location(std::int64_t query, std::int64_t longest) : W_a(query, longest, false) { add_module("W_a", W_a); }
  nn::Linear W_a;

 private:
  Tensor energies(const Tensor& query, const nn::Memory& memory, std::int64_t, const Tensor&) const override {
    return W_a.forward(query).slice(0, memory.values.size(0), 1);
  }
};

constexpr double D = 1;  // half the width of local attention's window

// The signed distance of each position from p (B, 1): (B, T).
Tensor away_from(const Tensor& p, const nn::Memory& memory) {
  return gradus::arange(memory.values.size(0)).to(p.dtype()) - p;
}

// The softmax of the energies over the window [p − D, p + D], limited to the source.
Tensor align(const Tensor& e, const Tensor& away, const nn::Memory& memory) {
  const Tensor outside = greater(abs(away), gradus::full({}, D, away.dtype()));
  return masked_softmax(masked_fill(e, outside, -std::numeric_limits<double>::infinity()), memory.lengths);
}

// S, the length of each source, (B, 1).
Tensor source_lengths(const nn::Memory& memory) {
  return memory.lengths.to(memory.values.dtype()).reshape({-1, 1});
}

// p_t = min(t, S − 1)   (section 3.2, local-m)
class Monotonic : public General {
 public:
  using General::General;
  Result attend(const Tensor& query, const nn::Memory& memory, std::int64_t step,
                const Tensor& previous_weights) const override {
    const Scope scope = enter();
    const Tensor t = gradus::full({}, static_cast<double>(step), query.dtype());
    const Tensor away = away_from(minimum(t, source_lengths(memory) - 1.0), memory);
    const Tensor alpha = align(energies(query, memory, step, previous_weights), away, memory);
    return {weighted_sum(alpha, memory.values, memory.lengths), alpha};
  }
};

// p_t = S · σ(v_p · tanh(W_p s_t)); a Gaussian of deviation D/2 multiplies α (eq. 9, 10, local-p)
class Predictive : public General {
 public:
  Predictive(std::int64_t query, std::int64_t values)
      : General(query, values), W_p(query, 6, false), v_p(6, 1, false) {
    add_module("W_p", W_p);
    add_module("v_p", v_p);
  }
  nn::Linear W_p, v_p;

  Result attend(const Tensor& query, const nn::Memory& memory, std::int64_t step,
                const Tensor& previous_weights) const override {
    const Scope scope = enter();
    const Tensor p = source_lengths(memory) * sigmoid(v_p.forward(tanh(W_p.forward(query))));
    const Tensor away = away_from(p, memory);
    const Tensor window = exp(-away * away / (2 * (D / 2) * (D / 2)));
    const Tensor alpha = align(energies(query, memory, step, previous_weights), away, memory) * window;
    return {weighted_sum(alpha, memory.values, memory.lengths), alpha};
  }
};

// Like General, but avoids the positions that had weight in the previous step.
class Restless : public General {
 public:
  Restless(std::int64_t query, std::int64_t values)
      : General(query, values), fatigue(add_parameter("fatigue", gradus::tensor({0.5}))) {}
  const Tensor fatigue;

 private:
  Tensor energies(const Tensor& query, const nn::Memory& memory, std::int64_t step,
                  const Tensor& previous_weights) const override {
    const Tensor e = General::energies(query, memory, step, previous_weights);
    return previous_weights.defined() ? e - fatigue * previous_weights : e;
  }
};

// General that records its arguments and weights.
class Watched : public General {
 public:
  using General::General;
  struct Call {
    std::int64_t step;
    Tensor previous, lengths, weights;
  };
  mutable std::vector<Call> calls;

  Result attend(const Tensor& query, const nn::Memory& memory, std::int64_t step,
                const Tensor& previous_weights) const override {
    const Result result = General::attend(query, memory, step, previous_weights);
    calls.push_back({step, previous_weights, memory.lengths, result.weights});
    return result;
  }
};

constexpr std::int64_t annotation = 4;

template <class Attention>
models::Seq2Seq luong(std::int64_t hidden, std::int64_t argument = annotation) {
  gradus::seed(2);
  return luong_model(std::make_unique<Attention>(hidden, argument), hidden);
}

template <class Attention>
models::Seq2Seq bahdanau() {
  gradus::seed(2);
  return {
      {.vocabulary = tiny.vocabulary, .embedding = tiny.embedding, .hidden = tiny.hidden},
      std::make_unique<models::BahdanauDecoder>(models::DecoderOptions{.vocabulary = tiny.vocabulary,
                                                                       .annotation = 2 * tiny.hidden,
                                                                       .embedding = tiny.embedding,
                                                                       .hidden = tiny.hidden},
                                                std::make_unique<Attention>(tiny.hidden, 2 * tiny.hidden))};
}

// Two queries over 6 positions. The sources have 6 and 3 tokens.
struct Look {
  static constexpr std::int64_t T = 6, B = 2, Q = 3;
  gradus::Generator generator{1};
  Tensor query = random({B, Q}, generator), values = random({T, B, annotation}, generator);
  Tensor lengths = integers({T, 3});

  nn::Attention::Result at(nn::Attention& attention, std::int64_t step) const {
    attention.to(Dtype::f64);
    return attention.attend(query, attention.prepare(values, lengths), step, Tensor());
  }
};

}  // namespace

TEST_CASE("each of Luong's scores works in Luong's decoder", "[models][extension]") {
  SECTION("dot") {
    gradus::seed(2);
    models::Seq2Seq model = luong_model(std::make_unique<nn::DotProductAttention>(), annotation);
    check_extension(model);
  }
  SECTION("general") {
    models::Seq2Seq model = luong<General>(8);
    check_extension(model);
  }
  SECTION("concat") {
    models::Seq2Seq model = luong<Concat>(8);
    check_extension(model);
  }
  SECTION("location") {
    models::Seq2Seq model = luong<Location>(8, 7);
    check_extension(model);
  }
}

TEST_CASE("local attention works in Luong's decoder", "[models][extension]") {
  SECTION("local-m") {
    models::Seq2Seq model = luong<Monotonic>(8);
    check_extension(model);
  }
  SECTION("local-p") {
    models::Seq2Seq model = luong<Predictive>(8);
    check_extension(model, false);
  }
}

TEST_CASE("Luong's attentions work in Bahdanau's decoder", "[models][extension]") {
  SECTION("general") {
    models::Seq2Seq model = bahdanau<General>();
    check_extension(model);
    CHECK(model.named_parameters().back().first == "decoder.attention.W_a.weight");
  }
  SECTION("local-p") {
    models::Seq2Seq model = bahdanau<Predictive>();
    check_extension(model, false);
  }
}

TEST_CASE("an attention can use the previous step's weights", "[models][extension]") {
  models::Seq2Seq model = luong<Restless>(8);
  check_extension(model);
}

TEST_CASE("multi-head attention works in a recurrent decoder", "[models][extension]") {
  gradus::seed(2);
  models::Seq2Seq model = luong_model(std::make_unique<nn::MultiHeadAttention>(annotation, 2), annotation);
  check_extension(model);
}

TEST_CASE("concat is additive attention with W_a and U_a concatenated", "[models][extension]") {
  const Look look;
  Concat concat(Look::Q, annotation);
  nn::AdditiveAttention additive(Look::Q, annotation, 3);
  Tensor(concat.W_a.weight).replace(gradus::concat({additive.W_a.weight, additive.U_a.weight}, 1).detach());
  Tensor(concat.v_a.weight).replace(additive.v_a.reshape({1, 3}).detach());
  const auto actual = look.at(concat, 0), expected = look.at(additive, 0);
  CHECK(mismatch(actual.weights, expected.weights, rounding) == "");
  CHECK(mismatch(actual.context, expected.context, rounding) == "");
}

TEST_CASE("local-m weights only its window, clipped to the source", "[models][extension]") {
  const Look look;
  Monotonic attention(Look::Q, annotation);
  const auto looked_at = [&](std::int64_t step) {
    return greater(look.at(attention, step).weights, gradus::zeros({}, Dtype::f64));
  };
  CHECK(mismatch(looked_at(0), gradus::tensor({{1, 1, 0, 0, 0, 0}, {1, 1, 0, 0, 0, 0}})) == "");
  CHECK(mismatch(looked_at(2), gradus::tensor({{0, 1, 1, 1, 0, 0}, {0, 1, 1, 0, 0, 0}})) == "");
  CHECK(mismatch(looked_at(9), gradus::tensor({{0, 0, 0, 0, 1, 1}, {0, 1, 1, 0, 0, 0}})) == "");
  CHECK(mismatch(sum(look.at(attention, 9).weights, 1), gradus::ones({2}), rounding) == "");
}

TEST_CASE("local-p is the softmax over its window times a Gaussian", "[models][extension]") {
  const Look look;
  Predictive attention(Look::Q, annotation);
  overwrite(attention.v_p.weight, 0);  // so p_t = S / 2: 3 and 1.5
  const Tensor weights = look.at(attention, 0).weights;
  const nn::Memory memory = attention.prepare(look.values, look.lengths);
  const Tensor e = exp(transpose(sum(memory.keys * look.query, 2), 0, 1));
  const auto weight = [&](std::int64_t b, std::int64_t first, std::int64_t end, std::int64_t j, double p) {
    const double away = static_cast<double>(j) - p;
    return e[b][j].item() / sum(e[b].slice(first, end)).item() * std::exp(-away * away / 0.5);
  };
  CHECK(
      mismatch(weights,
               gradus::tensor({{0, 0, weight(0, 2, 5, 2, 3), weight(0, 2, 5, 3, 3), weight(0, 2, 5, 4, 3), 0},
                               {0, weight(1, 1, 3, 1, 1.5), weight(1, 1, 3, 2, 1.5), 0, 0, 0}},
                              Dtype::f64),
               rounding) == "");
}

TEST_CASE("attention receives the step, the previous weights, and the lengths", "[models][extension]") {
  const models::Seq2Seq model = bahdanau<Watched>();
  const BatchTensors x(tiny_batch());
  model.forward(x.source, x.source_lengths, x.target_in);
  const auto& decoder = dynamic_cast<const models::BahdanauDecoder&>(*model.decoder);
  const auto& calls = dynamic_cast<const Watched&>(*decoder.attention).calls;
  REQUIRE(calls.size() == 6);
  for (std::size_t t = 0; t < 6; ++t) {
    CHECK(calls[t].step == static_cast<std::int64_t>(t));
    CHECK(calls[t].lengths.is(x.source_lengths));
    CHECK(mismatch(calls[t].previous, t == 0 ? Tensor() : calls[t - 1].weights) == "");
  }
}
