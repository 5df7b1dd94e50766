#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "workload.hpp"

namespace bench {

enum class Mode { train, decode };
/// Of the inputs of matrix products; everything else is f32.
enum class Precision { f32, bf16 };

/// What is to be measured.
struct Options {
  Config config;
  Mode mode;
  int threads;
  std::int64_t batch;          ///< sentences in a batch
  std::int64_t steps, warmup;  ///< steps that are timed, and those before them
  std::uint64_t seed;          ///< of the weights and the batches
  Precision precision = Precision::f32;
};

/// An implementation of the model, with the weights that `set_initial_weights` gives.
class Contender {
 public:
  virtual ~Contender() = default;
  /// One step: gradients cleared, loss, backward, gradients clipped to norm 1, Adam with rate 0.001. Returns
  /// the loss, in nats a real target token.
  virtual double train(const gradus::data::Batch& batch) = 0;
  /// Decodes the batch's sources greedily, all for `steps` steps: EOS never wins. Returns the tokens of each.
  virtual std::vector<std::vector<std::int64_t>> decode(const gradus::data::Batch& batch,
                                                        std::int64_t steps) = 0;
  virtual std::int64_t parameter_count() const = 0;
  /// How often the system has been asked for memory for a tensor, where that is known.
  virtual std::optional<std::int64_t> buffers_allocated() const { return std::nullopt; }
};

/// What came out. A step is one call of `train` or `decode`, on the batches in turn.
struct Measurement {
  std::int64_t parameters;
  double ms_per_step;  ///< median
  double ms_min;
  double target_tokens_per_s;  ///< median: real tokens in training, tokens written in decoding
  double gflops;               ///< median: useful work (workload.hpp) by time
  double peak_rss_mb;          ///< the most memory that the process has held
  std::optional<double> loss_first, loss_final;  ///< of training: of the first step of all, and the last
  std::optional<std::uint64_t> tokens_checksum;  ///< of decoding: what the first step wrote
  std::optional<std::int64_t> buffers_allocated_after_first;   ///< in all steps but the first
  std::optional<std::int64_t> buffers_allocated_after_warmup;  ///< in the timed steps
};

Measurement measure(Contender& contender, const Options& options);

}  // namespace bench
