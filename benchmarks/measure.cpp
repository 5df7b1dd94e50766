#include "measure.hpp"

#include <algorithm>
#include <chrono>
#include <sys/resource.h>

namespace bench {
namespace {

using gradus::data::Batch;

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double peak_rss_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024 / 1e6;  // ru_maxrss is in KiB on Linux
}

// A polynomial hash of the tokens.
std::uint64_t checksum(const std::vector<std::vector<std::int64_t>>& sentences) {
  std::uint64_t sum = 0;
  for (const auto& tokens : sentences) {
    for (const std::int64_t token : tokens)
      sum = (sum * 31 + static_cast<std::uint64_t>(token)) % 1'000'000'007;
  }
  return sum;
}

std::optional<std::int64_t> growth(const std::optional<std::int64_t>& before,
                                   const std::optional<std::int64_t>& after) {
  return before && after ? std::optional(*after - *before) : std::nullopt;
}

}  // namespace

Measurement measure(Contender& contender, const Options& options) {
  const std::vector<Batch> batches = make_batches(options.config, options.batch, options.seed);
  const std::int64_t Ty = options.config.Ty;
  const bool trains = options.mode == Mode::train;

  Measurement result{};
  std::vector<double> ms, tokens_per_s, gflops;
  std::optional<std::int64_t> after_first, after_warmup = contender.buffers_allocated();
  for (std::int64_t step = 0; step < options.warmup + options.steps; ++step) {
    const Batch& batch = batches[static_cast<std::size_t>(step % batch_count)];
    if (step == options.warmup) after_warmup = contender.buffers_allocated();
    const double start = seconds_now();
    if (trains) {
      result.loss_final = contender.train(batch);
    } else {
      const auto tokens = contender.decode(batch, Ty);
      if (step == 0) result.tokens_checksum = checksum(tokens);
    }
    const double seconds = seconds_now() - start;
    if (step == 0) {
      result.loss_first = result.loss_final;
      after_first = contender.buffers_allocated();
    }
    if (step < options.warmup) continue;
    const std::int64_t tokens = trains ? batch.target_tokens() : batch.size * Ty;
    const double flop = trains ? train_flop(options.config, batch) : decode_flop(options.config, batch, Ty);
    ms.push_back(1e3 * seconds);
    tokens_per_s.push_back(static_cast<double>(tokens) / seconds);
    gflops.push_back(flop / seconds / 1e9);
  }
  const std::optional<std::int64_t> at_end = contender.buffers_allocated();
  result.parameters = contender.parameter_count();
  result.ms_per_step = median(ms);
  result.ms_min = std::ranges::min(ms);
  result.target_tokens_per_s = median(tokens_per_s);
  result.gflops = median(gflops);
  result.peak_rss_mb = peak_rss_mb();
  result.buffers_allocated_after_first = growth(after_first, at_end);
  result.buffers_allocated_after_warmup = growth(after_warmup, at_end);
  return result;
}

}  // namespace bench
