#include "workload.hpp"

#include <array>
#include <numeric>

namespace bench {
namespace {

using gradus::data::Batch;
using gradus::data::Pair;

// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014). The k-th number
// is a hash of seed + k · 0x9E37….
class Stream {
 public:
  explicit Stream(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  // Uniform in [low, high]. The bias is about 2⁻³².
  std::int64_t between(std::int64_t low, std::int64_t high) {
    const auto n = static_cast<std::uint64_t>(high - low + 1);
    return low + static_cast<std::int64_t>(((bits() >> 32) * n) >> 32);
  }
  // Uniform in [0, 1), a multiple of 2⁻²⁴.
  float uniform() { return static_cast<float>(bits() >> 40) * 0x1p-24F; }

 private:
  std::uint64_t state_;
};

// The FNV-1a hash. It gives each parameter name its own stream.
std::uint64_t hash(std::string_view text) {
  std::uint64_t value = 0xCBF29CE484222325;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  return value;
}

std::vector<std::int64_t> symbols(const Config& config, std::int64_t count, Stream& stream) {
  std::vector<std::int64_t> ids(static_cast<std::size_t>(count));
  for (std::int64_t& id : ids) id = stream.between(gradus::data::first_symbol, config.V - 1);
  return ids;
}

Pair make_pair(const Config& config, Stream& stream) {
  const std::int64_t m = stream.between(config.Tx / 2, config.Tx);
  const std::int64_t n = stream.between(config.Ty / 2, config.Ty);
  Pair pair{.source = symbols(config, m, stream), .target = symbols(config, n - 1, stream)};
  pair.target.push_back(gradus::data::eos);
  return pair;
}

std::int64_t sum(const std::vector<std::int64_t>& values) {
  return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

// D, the size of an annotation.
std::int64_t annotation(const Config& c) { return c.directions * c.H; }

// The preset d2l is not like the other models: its decoder starts from the encoder's last states, and its
// logits depend only on s_t.
bool is_d2l(const Config& c) { return c.preset == "d2l"; }
std::int64_t read_out(const Config& c) { return is_d2l(c) ? c.H : c.H + annotation(c) + c.E; }

// Multiply-adds of a forward pass over B sentence pairs with S source tokens and N target tokens in total,
// and P pairs of a source and a target token.
std::int64_t forward_multiply_adds(const Config& c, std::int64_t B, std::int64_t S, std::int64_t N,
                                   std::int64_t P) {
  const std::int64_t D = annotation(c), R = read_out(c), above = c.layers - 1;
  const std::int64_t encoder = c.directions * 3 * c.H * (c.E + c.H + above * (D + c.H));
  const std::int64_t decoder = 3 * c.H * (c.E + D + c.H + above * 2 * c.H);
  const std::int64_t readout = c.maxout > 0 ? R * 2 * c.maxout + c.maxout * c.V : R * c.V;
  return S * (encoder + D * c.A) + (is_d2l(c) ? 0 : B * c.H * c.H) + N * (c.H * c.A + decoder + readout) +
         P * (c.A + D);
}

}  // namespace

std::span<const Config> configs() {
  static const std::array<Config, 7> all = {{
      {"tiny", 20, 32, 64, 64, 64, 10, 11, 400, 16},
      {"d2l", 200, 32, 32, 32, 64, 10, 10, 400, 16},
      {"small", 1000, 128, 128, 128, 64, 15, 15, 80, 16},
      {"medium", 8000, 256, 512, 512, 128, 15, 15, 8, 16},
      {"paper", 30000, 620, 1000, 1000, 80, 30, 30, 2, 1},
      {"d2l-exact", 200, 32, 32, 32, 64, 10, 10, 400, 16, "d2l", 2, 1, 0, 0.1},
      {"paper-exact", 30000, 620, 1000, 1000, 80, 30, 30, 2, 1, "bahdanau", 1, 2, 500},
  }};
  return all;
}

std::vector<Batch> make_batches(const Config& config, std::int64_t B, std::uint64_t seed) {
  Stream stream(seed);
  std::vector<Batch> batches;
  for (std::int64_t k = 0; k < batch_count; ++k) {
    std::vector<Pair> pairs;
    for (std::int64_t b = 0; b < B; ++b) pairs.push_back(make_pair(config, stream));
    batches.push_back(gradus::data::make_batch(pairs));
  }
  return batches;
}

void set_initial_weights(std::span<float> values, std::string_view name, std::uint64_t seed) {
  Stream stream(seed ^ hash(name));
  for (float& value : values) value = 0.08F * (2 * stream.uniform() - 1);
}

double train_flop(const Config& config, const Batch& batch) {
  const std::int64_t P = std::inner_product(batch.source_lengths.begin(), batch.source_lengths.end(),
                                            batch.target_lengths.begin(), std::int64_t{0});
  return 3 * 2 *
         static_cast<double>(
             forward_multiply_adds(config, batch.size, sum(batch.source_lengths), batch.target_tokens(), P));
}

double decode_flop(const Config& config, const Batch& batch, std::int64_t steps) {
  const std::int64_t S = sum(batch.source_lengths);
  return 2 * static_cast<double>(forward_multiply_adds(config, batch.size, S, batch.size * steps, S * steps));
}

std::vector<Product> products(const Config& c, const Batch& batch) {
  const std::int64_t S = sum(batch.source_lengths), N = batch.target_tokens(), D = annotation(c);
  const std::int64_t R = c.maxout > 0 ? c.maxout : read_out(c);
  return {
      {1024, 1024, 1024},
      {S, c.E, 3 * c.H},               // encoder: inputs, per direction
      {batch.size, c.H, 3 * c.H},      // encoder: step, per direction
      {S, D, c.A},                     // keys
      {batch.size, c.E + D, 3 * c.H},  // decoder: inputs of a step
      {N, R, c.V},                     // output layer
      {N, c.V, R},                     // gradient of its input
      {c.V, N, R},                     // gradient of its weight
      {3 * c.H, N, c.E + D},           // gradient of the decoder's input weight, all steps
  };
}

}  // namespace bench
