#pragma once

#include <gradus/autograd/tensor.hpp>
#include <gradus/speech/log_mel.hpp>

#include <cstdint>
#include <span>

// Code that log_mel() and griffin_lim() share. The symbols are those of log_mel.hpp.
namespace gradus::speech {

struct Framing {
  std::int64_t L, S;  // in samples: the length of a window, and the distance between the starts of windows
  std::int64_t N, K;  // size of the Fourier transform; number of its frequencies, k · rate / N for k < K

  std::int64_t windows(std::int64_t samples) const { return 1 + (samples - L) / S; }
  std::int64_t samples(std::int64_t windows) const { return L + (windows - 1) * S; }
};

// Throws an Error that begins with `where` if the window or the step is outside the limits of log_mel().
Framing framing(const char* where, const LogMelOptions& options, std::int64_t rate);

double hann(std::int64_t n, std::int64_t L);

// The matrix of the Hann window and the Fourier transform, (L, 2K): cosines in the first half of the columns,
// sines in the second. A row of L samples times this matrix is [Re X, −Im X].
Tensor transform(const Framing& framing);

// The filters F, as (K, M), f64. Throws an Error that begins with `where` if M is outside [1, 1000] or a
// filter is empty.
Tensor filters(const char* where, std::int64_t M, const Framing& framing, std::int64_t rate);

// The windows first … first + count − 1 of a sound, (count, L), f64.
template <class Sample>
Tensor windows(std::span<const Sample> samples, std::int64_t first, std::int64_t count,
               const Framing& framing) {
  std::vector<double> rows;
  rows.reserve(static_cast<std::size_t>(count * framing.L));
  for (std::int64_t t = first; t < first + count; ++t) {
    const auto begin = samples.begin() + t * framing.S;
    rows.insert(rows.end(), begin, begin + framing.L);
  }
  return tensor(rows, {count, framing.L});
}

// Returns |X|², (·, K). The argument is not X but [Re X, −Im X], (·, 2K): samples times transform().
Tensor power(const Tensor& X);

constexpr std::int64_t windows_at_once = 1024;  // bounds the memory for intermediate values

}  // namespace gradus::speech
