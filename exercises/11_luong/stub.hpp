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
#include "kit/finding.hpp"

using namespace gradus;

// ---- Part 1: dot ----

class LuongDot : public nn::ScoredAttention {
 protected:
  Tensor energies(const Tensor& /*s*/, const nn::Memory& /*memory*/, std::int64_t /*step*/,
                  const Tensor& /*previous_weights*/) const override {
    // TODO
    exercise::to_do("Write LuongDot::energies(): e_tj = s_t · h_j, as (B, T).");
  }
};

// ---- Part 2: general ----

class LuongGeneral : public nn::ScoredAttention {
 public:
  LuongGeneral(std::int64_t /*query*/, std::int64_t /*value*/) {
    // TODO: the member W_a
    exercise::to_do("Give LuongGeneral its W_a.weight (Q, D), and write prepare(): the keys W_a h_j.");
  }

  // TODO: prepare()

 protected:
  Tensor energies(const Tensor& /*s*/, const nn::Memory& /*memory*/, std::int64_t /*step*/,
                  const Tensor& /*previous_weights*/) const override {
    // TODO
    exercise::to_do("Write LuongGeneral::energies(): e_tj = s_tᵀ W_a h_j, as (B, T).");
  }
};

// ---- Part 3: concat ----

class LuongConcat : public nn::ScoredAttention {
 public:
  LuongConcat(std::int64_t /*query*/, std::int64_t /*value*/, std::int64_t /*energy*/) {
    // TODO: the members W_a and v_a
    exercise::to_do("Give LuongConcat its W_a.weight (A, Q + D) and v_a.weight (1, A).");
  }

 protected:
  Tensor energies(const Tensor& /*s*/, const nn::Memory& /*memory*/, std::int64_t /*step*/,
                  const Tensor& /*previous_weights*/) const override {
    // TODO
    exercise::to_do("Write LuongConcat::energies(): e_tj = v_a · tanh(W_a [s_t; h_j]), as (B, T).");
  }
};

// ---- Part 4: the decoder ----

class LuongDecoder : public nn::DecoderStep {
 public:
  LuongDecoder(const LuongSizes& /*n*/, std::unique_ptr<nn::Attention> /*given*/) {
    // TODO: the members embedding, attention, W_s, cell, W_c and W_o
    exercise::to_do("Give LuongDecoder its members: embedding, attention, W_s, cell, W_c and W_o.");
  }

  Start start(const nn::Annotations& /*annotations*/) const override {
    // TODO
    exercise::to_do(
        "Write LuongDecoder::start(): return s_0 = tanh(W_s [→h_S; ←h_1]) and the attention's memory.");
  }

  Output step(const Tensor& /*previous*/, const nn::State& /*state*/,
              const nn::Memory& /*memory*/) const override {
    // TODO
    exercise::to_do(
        "Write LuongDecoder::step(): compute s_t, c_t with the query s_t, h̃_t (eq. 5) and the logits (eq. "
        "6).");
  }
};

// ---- Part 5: input feeding ----

class LuongInputFeeding : public nn::DecoderStep {
 public:
  LuongInputFeeding(const LuongSizes& /*n*/, std::unique_ptr<nn::Attention> /*given*/) {
    // TODO: the members of LuongDecoder, with a cell of input size E + K
    exercise::to_do("Give LuongInputFeeding its members, with a cell that reads [E y_{t−1}; h̃_{t−1}].");
  }

  Start start(const nn::Annotations& /*annotations*/) const override {
    // TODO
    exercise::to_do("Write LuongInputFeeding::start(): like LuongDecoder's, with h̃_0 = 0 in the state.");
  }

  Output step(const Tensor& /*previous*/, const nn::State& /*state*/,
              const nn::Memory& /*memory*/) const override {
    // TODO
    exercise::to_do(
        "Write LuongInputFeeding::step(): s_t = GRU([E y_{t−1}; h̃_{t−1}], s_{t−1}), with h̃_t in the new "
        "state.");
  }
};

// ---- Part 6: local-m ----

class LocalMonotonic : public LuongGeneral {
 public:
  LocalMonotonic(std::int64_t query, std::int64_t value, double half_window)
      : LuongGeneral(query, value), w(half_window) {}

  Result attend(const Tensor& /*s*/, const nn::Memory& /*memory*/, std::int64_t /*step*/,
                const Tensor& /*previous_weights*/) const override {
    // TODO
    exercise::to_do(
        "Write LocalMonotonic::attend(): the softmax over the window [p_t − w, p_t + w], p_t = min(t, S − "
        "1).");
  }

  const double w;
};

// ---- Part 7: local-p ----

class LocalPredictive : public LuongGeneral {
 public:
  LocalPredictive(std::int64_t query, std::int64_t value, std::int64_t /*energy*/, double half_window)
      : LuongGeneral(query, value), w(half_window) {
    // TODO: the members W_p and v_p
    exercise::to_do("Give LocalPredictive its W_p.weight (A, Q) and v_p.weight (1, A).");
  }

  Result attend(const Tensor& /*s*/, const nn::Memory& /*memory*/, std::int64_t /*step*/,
                const Tensor& /*previous_weights*/) const override {
    // TODO
    exercise::to_do(
        "Write LocalPredictive::attend(): p_t by eq. 9, and the softmax times the Gaussian of eq. 10.");
  }

  const double w;
};
