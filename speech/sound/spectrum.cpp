#include "spectrum.hpp"

#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/scope.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

namespace gradus::speech {
namespace {

std::int64_t in_samples(const char* where, const char* what, double seconds, std::int64_t rate) {
  const double samples = std::round(seconds * static_cast<double>(rate));
  if (!(samples >= 1 && seconds <= 1)) {
    fail(where, what, " must be from 1 sample to 1 s, and is ", seconds, " s at ", rate,
         " samples per second");
  }
  return static_cast<std::int64_t>(samples);
}

double hertz(double mel) { return 700 * (std::pow(10, mel / 2595) - 1); }
double mel(double hertz) { return 2595 * std::log10(1 + hertz / 700); }

}  // namespace

Framing framing(const char* where, const LogMelOptions& options, std::int64_t rate) {
  const std::int64_t L = in_samples(where, "the window", options.window, rate),
                     S = in_samples(where, "the step", options.step, rate);
  const auto N = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(L)));
  return {.L = L, .S = S, .N = N, .K = N / 2 + 1};
}

double hann(std::int64_t n, std::int64_t L) {
  const double turn = L == 1 ? 0.5 : static_cast<double>(n) / static_cast<double>(L - 1);
  return 0.5 - 0.5 * std::cos(2 * std::numbers::pi * turn);
}

Tensor transform(const Framing& framing) {
  const auto [L, S, N, K] = framing;
  std::vector<double> matrix;
  for (std::int64_t n = 0; n < L; ++n) {
    const double window = hann(n, L);
    for (const double quarter : {0.0, 0.25}) {
      for (std::int64_t k = 0; k < K; ++k) {
        // Computing k n mod N first keeps the angle small. Its cosine is then precise.
        const double angle = static_cast<double>(k * n % N) / static_cast<double>(N) - quarter;
        matrix.push_back(window * std::cos(2 * std::numbers::pi * angle));
      }
    }
  }
  return tensor(matrix, {L, 2 * K});
}

Tensor filters(const char* where, std::int64_t M, const Framing& framing, std::int64_t rate) {
  constexpr std::int64_t most_bands = 1000;
  if (M < 1 || M > most_bands) {
    fail(where, "the number of bands must be from 1 to ", most_bands, ", and is ", M);
  }
  const std::int64_t K = framing.K;
  const double highest = static_cast<double>(rate) / 2;
  std::vector<double> f;
  for (std::int64_t m = 0; m < M + 2; ++m) {
    f.push_back(hertz(mel(highest) * static_cast<double>(m) / static_cast<double>(M + 1)));
  }
  std::vector<double> matrix(static_cast<std::size_t>(K * M));
  for (std::size_t m = 0; m < static_cast<std::size_t>(M); ++m) {
    bool is_empty = true;
    for (std::int64_t k = 0; k < K; ++k) {
      const double at = static_cast<double>(k * rate) / static_cast<double>(framing.N);
      const double up = (at - f[m]) / (f[m + 1] - f[m]), down = (f[m + 2] - at) / (f[m + 2] - f[m + 1]);
      const double weight = std::max(0.0, std::min(up, down));
      matrix[static_cast<std::size_t>(k * M) + m] = weight;
      is_empty = is_empty && weight == 0;
    }
    if (is_empty) {
      fail(where, "band ", m + 1, " of ", M, " lies between two frequencies of a window of ", framing.N,
           " samples; use fewer bands or a longer window");
    }
  }
  return tensor(matrix, {K, M});
}

Tensor power(const Tensor& X) {
  const std::int64_t K = X.size(1) / 2;
  const Tensor squares = X * X;
  return squares.slice(0, K, 1) + squares.slice(K, 2 * K, 1);
}

}  // namespace gradus::speech
