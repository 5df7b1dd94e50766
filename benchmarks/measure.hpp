#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workload.hpp"

namespace bench {

enum class Mode { train, decode };
/// Precision of the inputs of matrix products. All other numbers are f32. int8 is only for decoding.
enum class Precision { f32, bf16, int8 };
inline constexpr std::array<std::string_view, 3> precision_names{"f32", "bf16", "int8"};

/// The settings with which one program measures.
struct Options {
  Config config;
  Mode mode;
  int threads;
  std::int64_t batch;          ///< sentences per batch
  std::int64_t steps, warmup;  ///< timed steps, and untimed steps before them
  std::uint64_t seed;          ///< seed of the weights and the batches
  Precision precision = Precision::f32;
};

/// An implementation of the model. Its initial weights come from `set_initial_weights`.
class Contender {
 public:
  virtual ~Contender() = default;
  /// Runs one training step: clears gradients, computes loss and gradients, clips to norm 1, updates by Adam
  /// with rate 0.001. Returns the loss in nats per real target token.
  virtual double train(const gradus::data::Batch& batch) = 0;
  /// Decodes the batch's sources greedily for exactly `steps` steps, never choosing EOS. Returns each
  /// sentence's tokens.
  virtual std::vector<std::vector<std::int64_t>> decode(const gradus::data::Batch& batch,
                                                        std::int64_t steps) = 0;
  virtual std::int64_t parameter_count() const = 0;
  /// Number of tensor allocations from the system so far; nullopt if unknown.
  virtual std::optional<std::int64_t> buffers_allocated() const { return std::nullopt; }
};

/// The results. One step is one call of `train` or `decode`; the steps take the batches in turn, in a cycle.
struct Measurement {
  std::int64_t parameters;
  double ms_per_step;  ///< median over the steps
  double ms_min;
  double target_tokens_per_s;  ///< median; counts real target tokens in training, output tokens in decoding
  double gflops;               ///< median of useful work (workload.hpp) per second
  double peak_rss_mb;          ///< peak resident memory of the process
  std::optional<double> loss_first, loss_final;  ///< training only: losses of the first and the last step
  std::optional<std::uint64_t> tokens_checksum;  ///< decoding only: checksum of the first step's tokens
  std::optional<std::int64_t> buffers_allocated_after_first;   ///< allocations after the first step
  std::optional<std::int64_t> buffers_allocated_after_warmup;  ///< allocations during the timed steps
};

Measurement measure(Contender& contender, const Options& options);

}  // namespace bench
