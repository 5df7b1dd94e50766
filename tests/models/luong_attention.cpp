// The first extension point carries the attentions of Luong et al. 2015: each is a class of a few lines, and
// BahdanauDecoder, training and decoding take it unchanged.

#include <gradus/autograd/fused.hpp>
#include <gradus/models/bahdanau_decoder.hpp>

#include "models/extension.hpp"

namespace models = gradus::models;
namespace nn = gradus::nn;
using gradus::Scope;
using gradus::Tensor;

namespace {

// An attention that has only to say what its energies are, (B, T).
class Scored : public nn::Attention {
 public:
  Result attend(const Tensor& query, const nn::Memory& memory, std::int64_t step,
                const Tensor& previous_weights) const override {
    const Scope scope = enter();
    const Tensor alpha = masked_softmax(energy(query, memory, step, previous_weights), memory.lengths);
    return {weighted_sum(alpha, memory.values, memory.lengths), alpha};
  }

 private:
  virtual Tensor energy(const Tensor& query, const nn::Memory& memory, std::int64_t step,
                        const Tensor& previous_weights) const = 0;
};

// e_tj = s · W_a h_j   (eq. 8, general)
class General : public Scored {
 public:
  General(std::int64_t query, std::int64_t values) : W_a(values, query, false) { add_module("W_a", W_a); }
  nn::Memory prepare(const Tensor& values, const Tensor& lengths) const override {
    const Scope scope = enter();
    return {values, W_a.forward(values), lengths};
  }
  nn::Linear W_a;

 protected:
  Tensor energy(const Tensor& query, const nn::Memory& memory, std::int64_t, const Tensor&) const override {
    return transpose(sum(memory.keys * query, 2), 0, 1);
  }
};

// e_t = W_a s: where to look, whatever stands there   (eq. 9, location)
class Location : public Scored {
 public:
  Location(std::int64_t query, std::int64_t longest) : W_a(query, longest, false) { add_module("W_a", W_a); }
  nn::Linear W_a;

 private:
  Tensor energy(const Tensor& query, const nn::Memory& memory, std::int64_t, const Tensor&) const override {
    return W_a.forward(query).slice(0, memory.values.size(0), 1);
  }
};

// General, under a Gaussian window about p_t = S · σ(v_p · tanh(W_p s)) for a source of length S (eq. 10,
// local-p), which here also walks on with the steps and away from where it looked the step before.
class Local : public General {
 public:
  Local(std::int64_t query, std::int64_t values)
      : General(query, values),
        W_p(query, 6, false),
        v_p(6, 1, false),
        pace(add_parameter("pace", gradus::tensor({0.1}))),
        fatigue(add_parameter("fatigue", gradus::tensor({0.5}))) {
    add_module("W_p", W_p);
    add_module("v_p", v_p);
  }
  nn::Linear W_p, v_p;
  const Tensor pace, fatigue;

 private:
  Tensor energy(const Tensor& query, const nn::Memory& memory, std::int64_t step,
                const Tensor& previous_weights) const override {
    const std::int64_t T = memory.values.size(0), B = query.size(0);
    const Tensor S = memory.lengths.to(query.dtype()).reshape({B, 1});
    const Tensor p = S * sigmoid(v_p.forward(tanh(W_p.forward(query)))) + pace * static_cast<double>(step);
    const Tensor away = gradus::arange(T).to(query.dtype()) - p;  // (B, T)
    const Tensor e = General::energy(query, memory, step, previous_weights) - away * away / 2.0;
    return previous_weights.defined() ? e - fatigue * previous_weights : e;
  }
};

// Whatever it inherits, and a note of what it was given.
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

template <class Attention>
models::Seq2Seq model_with(std::int64_t argument) {
  gradus::seed(2);
  return {{.vocabulary = tiny.vocabulary, .embedding = tiny.embedding, .hidden = tiny.hidden},
          std::make_unique<models::BahdanauDecoder>(models::BahdanauOptions{.vocabulary = tiny.vocabulary,
                                                                            .annotation = 2 * tiny.hidden,
                                                                            .embedding = tiny.embedding,
                                                                            .hidden = tiny.hidden},
                                                    std::make_unique<Attention>(tiny.hidden, argument))};
}

}  // namespace

TEST_CASE("Luong's general score fits in", "[models][extension]") {
  models::Seq2Seq model = model_with<General>(2 * tiny.hidden);
  check_extension(model);
  CHECK(model.named_parameters()[10].first == "decoder.attention.W_a.weight");
}

TEST_CASE("attention by location fits in", "[models][extension]") {
  models::Seq2Seq model = model_with<Location>(7);
  check_extension(model);
}

TEST_CASE("a local window that needs steps, lengths and previous weights fits in", "[models][extension]") {
  models::Seq2Seq model = model_with<Local>(2 * tiny.hidden);
  check_extension(model);
}

TEST_CASE("attention is told the step, the weights before, and the lengths", "[models][extension]") {
  const models::Seq2Seq model = model_with<Watched>(2 * tiny.hidden);
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
