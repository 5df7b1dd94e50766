#pragma once

#include <gradus/data/batch.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The workload of gradus and its peers: sizes, batches, initial weights, and useful work per batch. It does
/// not depend on the library: a seed gives the same bits everywhere.
namespace bench {

/// Sizes of a Bahdanau model and of its batches.
struct Config {
  std::string name;
  std::int64_t V;   ///< vocabulary of each side
  std::int64_t E;   ///< embedding
  std::int64_t H;   ///< state of the decoder and of each encoder direction
  std::int64_t A;   ///< additive attention
  std::int64_t B;   ///< sentences per batch
  std::int64_t Tx;  ///< longest source
  std::int64_t Ty;  ///< longest target, with EOS

  /// Default numbers of timed and warm-up steps. The warm-up is two cycles through the batches; then
  /// memory use is stable. `paper` and `paper-exact` are too slow for this: their warm-up is one step.
  std::int64_t steps, warmup;

  /// The preset of `gradus train`, "bahdanau" or "d2l". Empty for the model of tutorial 10. The members below
  /// describe the model.
  std::string preset = {};
  std::int64_t layers = 1;      ///< layers of the encoder and of the decoder
  std::int64_t directions = 2;  ///< directions of the encoder
  std::int64_t maxout = 0;      ///< size of the maxout before the output layer; 0: none
  double dropout = 0;           ///< rate for inputs and outputs, between layers, and for attention weights
};

/// tiny, d2l, small, medium and paper are tutorial 10's model in several sizes. d2l-exact and paper-exact are
/// the presets "d2l" and "bahdanau" (gradus/models/model.hpp), in the sizes of d2l and paper.
std::span<const Config> configs();

/// Number of batches. A run repeats them in a cycle.
inline constexpr std::int64_t batch_count = 8;

/// Makes `batch_count` batches of `B` sentences. Lengths are uniform in [T/2, T]; a target's length includes
/// EOS. Ids are uniform over the vocabulary without PAD, BOS and EOS.
std::vector<gradus::data::Batch> make_batches(const Config& config, std::int64_t B, std::uint64_t seed);

/// Fills a parameter with numbers from U(−0.08, 0.08). The seed and the parameter's name in PyTorch, such as
/// "encoder.rnn.weight_ih_l0", determine the numbers. Writes in place: a copy would need more memory.
void set_initial_weights(std::span<float> values, std::string_view name, std::uint64_t seed);

/// Output bias at PAD, BOS and EOS, so that a decoder never chooses them.
inline constexpr float never = -1e9F;

/// The floating-point operations that a training step needs for real tokens: two per multiply-add in products
/// and attention. Backward counts twice as much as forward. Elementwise work is not counted.
///
/// Multiply-adds of the forward pass, for S source tokens, N target tokens, d directions, D = dH and L
/// layers. P = Σ_b m_b n_b counts pairs of a source and a target token in the same sentence pair b:
///
///     encoder     S · d · 3H (E + H + (L − 1) (D + H))    a GRU
///     keys        S · D · A                               U_a h
///     s_0         B · H · H                               W_s; nothing for d2l
///     query       N · H · A                               W_a s
///     attention   P · (A + D)                             v · tanh(…), and the context
///     decoder     N · 3H (E + D + H + (L − 1) 2H)         a GRU on [y; c]
///     readout     N · R · V                               R = H + D + E, from [s; c; y]; d2l: R = H, from s
///                 N · (R · 2M + M · V)                    with a maxout of size M
double train_flop(const Config& config, const gradus::data::Batch& batch);

/// The floating-point operations of greedy decoding: forward only, `steps` tokens for every sentence.
double decode_flop(const Config& config, const gradus::data::Batch& batch, std::int64_t steps);

/// A matrix product C (m, n) ← A (m, k) B (k, n).
struct Product {
  std::int64_t m, k, n;
};
/// The products to measure: 1024³, and the main ones in a training step of the model. The fastest one gives
/// the peak with which the model's rate is compared.
std::vector<Product> products(const Config& config, const gradus::data::Batch& batch);

}  // namespace bench
