#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/recording.hpp>
#include <gradus/autograd/scope.hpp>
#include <gradus/speech/log_mel.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include "spectrum.hpp"

namespace gradus::speech {
namespace {

// Returns f(|X|²) for all windows of a sound. Calls f for a block of windows at a time, with |X|² as
// (windows, K), f64.
Tensor of_all_windows(const char* where, const Sound& sound, const Framing& framing,
                      const std::function<Tensor(const Tensor& squares)>& f) {
  const auto samples = std::ssize(sound.samples);
  if (samples < framing.L) {
    fail(where, "the sound has ", samples, " samples, less than one window of ", framing.L,
         "; give a longer recording");
  }
  const std::int64_t T = framing.windows(samples);
  const Tensor W = transform(framing);
  std::vector<Tensor> parts;
  for (std::int64_t first = 0; first < T; first += windows_at_once) {
    const std::int64_t count = std::min(windows_at_once, T - first);
    const Tensor X = matmul(windows(std::span<const float>(sound.samples), first, count, framing), W);
    parts.push_back(f(power(X)));
  }
  return concat(parts, 0);
}

}  // namespace

Tensor log_mel(const Sound& sound, const LogMelOptions& options) {
  constexpr double floor = 1e-10;
  const NoGrad no_grad;
  const Framing shape = framing("log_mel", options, sound.rate);
  const Tensor F = filters("log_mel", options.bands, shape, sound.rate);
  return of_all_windows("log_mel", sound, shape, [&](const Tensor& squares) {
    return log(clamp(matmul(squares, F), floor, INFINITY)).to(Dtype::f32);
  });
}

Tensor magnitudes(const Sound& sound, const LogMelOptions& options) {
  const NoGrad no_grad;
  return of_all_windows("magnitudes", sound, framing("magnitudes", options, sound.rate),
                        [](const Tensor& squares) { return sqrt(squares); });
}

}  // namespace gradus::speech
