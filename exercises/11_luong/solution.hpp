#pragma once

#include <gradus/autograd/fused.hpp>
#include <gradus/autograd/ops.hpp>
#include <gradus/nn/decoder_step.hpp>
#include <gradus/nn/embedding.hpp>
#include <gradus/nn/gru.hpp>
#include <gradus/nn/linear.hpp>
#include <gradus/nn/scored_attention.hpp>

#include <limits>
#include <memory>
#include <utility>

#include "11_luong/sizes.hpp"

using namespace gradus;

// e_tj = s_t · h_j
class LuongDot : public nn::ScoredAttention {
 protected:
  Tensor energies(const Tensor& s, const nn::Memory& memory, std::int64_t /*step*/,
                  const Tensor& /*previous_weights*/) const override {
    return transpose(sum(memory.values * s, 2), 0, 1);  // (T, B, D) · (B, D), summed over D: (T, B)
  }
};

// e_tj = s_tᵀ W_a h_j, with the keys W_a h_j
class LuongGeneral : public nn::ScoredAttention {
 public:
  LuongGeneral(std::int64_t query, std::int64_t value) : W_a(value, query, false) { add_module("W_a", W_a); }

  nn::Memory prepare(const Tensor& values, const Tensor& lengths) const override {
    const Scope scope = enter();
    return {values, W_a.forward(values), lengths};  // keys (T, B, Q)
  }

  nn::Linear W_a;

 protected:
  Tensor energies(const Tensor& s, const nn::Memory& memory, std::int64_t /*step*/,
                  const Tensor& /*previous_weights*/) const override {
    return transpose(sum(memory.keys * s, 2), 0, 1);  // (T, B, Q) · (B, Q), summed over Q: (T, B)
  }
};

// e_tj = v_a · tanh(W_a [s_t; h_j])
class LuongConcat : public nn::ScoredAttention {
 public:
  LuongConcat(std::int64_t query, std::int64_t value, std::int64_t energy)
      : W_a(query + value, energy, false), v_a(energy, 1, false) {
    add_module("W_a", W_a);
    add_module("v_a", v_a);
  }

  nn::Linear W_a, v_a;

 protected:
  Tensor energies(const Tensor& s, const nn::Memory& memory, std::int64_t /*step*/,
                  const Tensor& /*previous_weights*/) const override {
    const Tensor& h = memory.values;                                            // (T, B, D)
    const Tensor repeated = expand(s, {h.size(0), s.size(0), s.size(1)});       // (T, B, Q)
    const Tensor e = v_a.forward(tanh(W_a.forward(concat({repeated, h}, 2))));  // (T, B, 1)
    return transpose(squeeze(e, 2), 0, 1);                                      // (B, T)
  }
};

class LuongDecoder : public nn::DecoderStep {
 public:
  LuongDecoder(const LuongSizes& n, std::unique_ptr<nn::Attention> given)
      : LuongDecoder(n, n.embedding, std::move(given)) {}

  Start start(const nn::Annotations& annotations) const override {
    const Scope scope = enter();
    const Tensor ends = concat({annotations.last_forward, annotations.first_backward}, 1);  // (B, D)
    const Tensor s = tanh(W_s.forward(ends));                                               // (B, H)
    const Tensor h_tilde = zeros({s.size(0), W_c.weight.size(0)}, s.dtype());               // (B, K)
    return {.state = {{{"s", s}, {"h_tilde", h_tilde}, {"weights", Tensor()}}},
            .memory = attention->prepare(annotations.h, annotations.lengths)};
  }

  Output step(const Tensor& previous, const nn::State& state, const nn::Memory& memory) const override {
    const Scope scope = enter();
    const Tensor s = cell.forward(input(embedding.forward(previous), state), state["s"]);  // (B, H)
    const auto [c, alpha] = attention->attend(s, memory, state.step(), state["weights"]);  // (B, D), (B, T)
    const Tensor h_tilde = tanh(W_c.forward(concat({c, s}, 1)));                           // (B, K), eq. 5
    return {.logits = W_o.forward(h_tilde),                                                // (B, V), eq. 6
            .state = {{{"s", s}, {"h_tilde", h_tilde}, {"weights", alpha}}, state.step() + 1},
            .weights = alpha};
  }

  nn::Embedding embedding;
  const std::unique_ptr<nn::Attention> attention;
  nn::Linear W_s;
  nn::GRUCell cell;
  nn::Linear W_c, W_o;

 protected:
  LuongDecoder(const LuongSizes& n, std::int64_t input_size, std::unique_ptr<nn::Attention> given)
      : embedding(n.vocabulary, n.embedding),
        attention(std::move(given)),
        W_s(n.annotation, n.hidden, false),
        cell(input_size, n.hidden),
        W_c(n.annotation + n.hidden, n.attentional, false),
        W_o(n.attentional, n.vocabulary, false) {
    add_module("embedding", embedding);
    add_module("attention", *attention);
    add_module("W_s", W_s);
    add_module("cell", cell);
    add_module("W_c", W_c);
    add_module("W_o", W_o);
  }

  // The cell's input, from the embedding y (B, E) of the token y_{t−1}, and from the previous state.
  virtual Tensor input(const Tensor& y, const nn::State& /*before*/) const { return y; }
};

// The cell reads [E y_{t−1}; h̃_{t−1}], (B, E + K).
class LuongInputFeeding : public LuongDecoder {
 public:
  LuongInputFeeding(const LuongSizes& n, std::unique_ptr<nn::Attention> given)
      : LuongDecoder(n, n.embedding + n.attentional, std::move(given)) {}

 protected:
  Tensor input(const Tensor& y, const nn::State& before) const override {
    return concat({y, before["h_tilde"]}, 1);
  }
};

// The softmax of e over the real positions with |away| ≤ w. `away` is j − p_t, (B, T).
inline Tensor windowed_softmax(const Tensor& e, const Tensor& away, double w, const Tensor& lengths) {
  const Tensor outside = greater(abs(away), full({}, w, e.dtype()));
  return masked_softmax(masked_fill(e, outside, -std::numeric_limits<double>::infinity()), lengths);
}

// j − p_t, (B, T), for positions j = 0 … T − 1 and p_t (B, 1).
inline Tensor distance_from(const Tensor& p, std::int64_t T) { return arange(T).to(p.dtype()) - p; }

// The length S of each sentence, (B, 1).
inline Tensor source_lengths(const nn::Memory& memory) {
  return unsqueeze(memory.lengths.to(memory.values.dtype()), 1);
}

// p_t = min(t, S − 1)
class LocalMonotonic : public LuongGeneral {
 public:
  LocalMonotonic(std::int64_t query, std::int64_t value, double half_window)
      : LuongGeneral(query, value), w(half_window) {}

  Result attend(const Tensor& s, const nn::Memory& memory, std::int64_t step,
                const Tensor& previous_weights) const override {
    const Scope scope = enter();
    const Tensor t = full({}, static_cast<double>(step), s.dtype());
    const Tensor p = minimum(t, source_lengths(memory) - 1);  // (B, 1)
    const Tensor away = distance_from(p, memory.values.size(0));
    const Tensor e = energies(s, memory, step, previous_weights);       // (B, T)
    const Tensor alpha = windowed_softmax(e, away, w, memory.lengths);  // (B, T)
    return {weighted_sum(alpha, memory.values, memory.lengths), alpha};
  }

  const double w;
};

// p_t = S · σ(v_p · tanh(W_p s_t)), eq. 9. The weights are the softmax times a Gaussian of deviation w/2
// around p_t, eq. 10.
class LocalPredictive : public LuongGeneral {
 public:
  LocalPredictive(std::int64_t query, std::int64_t value, std::int64_t energy, double half_window)
      : LuongGeneral(query, value), W_p(query, energy, false), v_p(energy, 1, false), w(half_window) {
    add_module("W_p", W_p);
    add_module("v_p", v_p);
  }

  Result attend(const Tensor& s, const nn::Memory& memory, std::int64_t step,
                const Tensor& previous_weights) const override {
    const Scope scope = enter();
    const Tensor p = source_lengths(memory) * sigmoid(v_p.forward(tanh(W_p.forward(s))));  // (B, 1)
    const Tensor away = distance_from(p, memory.values.size(0));                           // (B, T)
    const Tensor e = energies(s, memory, step, previous_weights);                          // (B, T)
    const double sigma = w / 2;
    const Tensor gaussian = exp(-(away * away) / (2 * sigma * sigma));
    const Tensor alpha = windowed_softmax(e, away, w, memory.lengths) * gaussian;
    return {weighted_sum(alpha, memory.values, memory.lengths), alpha};
  }

  nn::Linear W_p, v_p;
  const double w;
};
