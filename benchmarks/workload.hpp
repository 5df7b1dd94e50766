#pragma once

#include <gradus/data/batch.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// What is measured, for us and for peers alike: sizes, batches, initial weights, and the useful work in a
/// batch. Nothing here knows an engine, and the same seed gives the same bits everywhere.
namespace bench {

/// A Bahdanau model, its sizes, and those of its batches.
struct Config {
  std::string name;
  std::int64_t V;   ///< vocabulary of each side
  std::int64_t E;   ///< embedding
  std::int64_t H;   ///< state of the decoder, and of each direction of the encoder
  std::int64_t A;   ///< additive attention
  std::int64_t B;   ///< sentences in a batch
  std::int64_t Tx;  ///< longest source
  std::int64_t Ty;  ///< longest target, EOS included

  /// Steps to time, and to run before that, unless told otherwise. Memory settles in the second cycle of the
  /// batches; `paper` is too slow for that.
  std::int64_t steps, warmup;

  /// The model: empty for that of tutorial 10, "bahdanau" or "d2l" for the model that `gradus train --preset`
  /// builds. The sizes that follow are those of that model.
  std::string preset = {};
  std::int64_t layers = 1;      ///< of the encoder and of the decoder
  std::int64_t directions = 2;  ///< of the encoder
  std::int64_t maxout = 0;      ///< the size of the maxout before the output layer; 0 without one
  double dropout = 0;           ///< of inputs and outputs, between layers, and of the attention weights
};

/// tiny, d2l, small, medium, paper, and the presets at two of these sizes: d2l-exact, paper-exact.
std::span<const Config> configs();

/// How many batches are made; a run takes them in turn.
inline constexpr std::int64_t batch_count = 8;

/// `batch_count` batches of `B` sentences. Lengths are uniform in [T/2, T], a target's with its EOS, and ids
/// uniform over the vocabulary without PAD, BOS and EOS.
std::vector<gradus::data::Batch> make_batches(const Config& config, std::int64_t B, std::uint64_t seed);

/// Gives a parameter its first value: numbers from U(−0.08, 0.08), which the seed and the parameter's name
/// (PyTorch's, such as "encoder.rnn.weight_ih_l0") determine. In place: what a copy leaves to the heap would
/// count as the model's memory.
void set_initial_weights(std::span<float> values, std::string_view name, std::uint64_t seed);

/// What a decoder that must write ordinary tokens, and all of them, has as its output bias at PAD, BOS and
/// EOS.
inline constexpr float never = -1e9F;

/// The floating-point operations of a training step that real tokens need: two a multiply-add of the products
/// and of attention, forward once and backward twice. Elementwise work is not counted.
///
/// With S source tokens, N target tokens, P = Σ_b m_b n_b pairs of them, d directions, D = dH, and L layers,
/// forward:
///
///     encoder     S · d · 3H (E + H + (L − 1) (D + H))    a GRU
///     keys        S · D · A                               U_a h
///     s_0         B · H · H                               W_s; nothing for d2l
///     query       N · H · A                               W_a s
///     attention   P · (A + D)                             v · tanh(…), and the context
///     decoder     N · 3H (E + D + H + (L − 1) 2H)         a GRU on [y; c]
///     readout     N · R · V                               of [s; c; y], R = H + D + E; for d2l of s, R = H
///                 N · (R · 2M + M · V)                    the same with a maxout of size M
double train_flop(const Config& config, const gradus::data::Batch& batch);

/// The same for greedy decoding: forward once, with `steps` tokens for every sentence.
double decode_flop(const Config& config, const gradus::data::Batch& batch, std::int64_t steps);

/// A matrix product C (m, n) ← A (m, k) B (k, n).
struct Product {
  std::int64_t m, k, n;
};
/// 1024³ and the products that a step of the model consists of, of which the fastest is the peak that the
/// model's own rate is held against.
std::vector<Product> products(const Config& config, const gradus::data::Batch& batch);

}  // namespace bench
