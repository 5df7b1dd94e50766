#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/recording.hpp>
#include <gradus/autograd/scope.hpp>
#include <gradus/speech/log_mel.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

namespace gradus::speech {
namespace {

std::int64_t in_samples(const char* what, double seconds, std::int64_t rate) {
  const double samples = std::round(seconds * static_cast<double>(rate));
  if (!(samples >= 1 && seconds <= 1)) {
    fail("log_mel", what, " must be from 1 sample to 1 s, and is ", seconds, " s at ", rate,
         " samples per second");
  }
  return static_cast<std::int64_t>(samples);
}

// The matrix (L, 2K) that applies the window and the Fourier transform to L samples. The first K columns hold
// cosines, the last K sines; K counts the frequencies k · rate / N, k = 0 … N / 2.
Tensor transform(std::int64_t L, std::int64_t N) {
  const std::int64_t K = N / 2 + 1;
  std::vector<double> matrix;
  for (std::int64_t n = 0; n < L; ++n) {
    const double turn = L == 1 ? 0.5 : static_cast<double>(n) / static_cast<double>(L - 1);
    const double window = 0.5 - 0.5 * std::cos(2 * std::numbers::pi * turn);
    for (const double quarter : {0.0, 0.25}) {
      for (std::int64_t k = 0; k < K; ++k) {
        // k n mod N keeps the angle small, so that its cosine is precise.
        const double angle = static_cast<double>(k * n % N) / static_cast<double>(N) - quarter;
        matrix.push_back(window * std::cos(2 * std::numbers::pi * angle));
      }
    }
  }
  return tensor(matrix, {L, 2 * K});
}

double hertz(double mel) { return 700 * (std::pow(10, mel / 2595) - 1); }
double mel(double hertz) { return 2595 * std::log10(1 + hertz / 700); }

// The filters F, (K, M).
Tensor filters(std::int64_t M, std::int64_t N, std::int64_t rate) {
  const std::int64_t K = N / 2 + 1;
  const double highest = static_cast<double>(rate) / 2;
  std::vector<double> f;
  for (std::int64_t m = 0; m < M + 2; ++m) {
    f.push_back(hertz(mel(highest) * static_cast<double>(m) / static_cast<double>(M + 1)));
  }
  std::vector<double> matrix(static_cast<std::size_t>(K * M));
  for (std::size_t m = 0; m < static_cast<std::size_t>(M); ++m) {
    bool is_empty = true;
    for (std::int64_t k = 0; k < K; ++k) {
      const double at = static_cast<double>(k * rate) / static_cast<double>(N);
      const double up = (at - f[m]) / (f[m + 1] - f[m]), down = (f[m + 2] - at) / (f[m + 2] - f[m + 1]);
      const double weight = std::max(0.0, std::min(up, down));
      matrix[static_cast<std::size_t>(k * M) + m] = weight;
      is_empty = is_empty && weight == 0;
    }
    if (is_empty) {
      fail("log_mel", "band ", m + 1, " of ", M, " lies between two frequencies of a window of ", N,
           " samples; use fewer bands or a longer window");
    }
  }
  return tensor(matrix, {K, M});
}

// The samples of windows first … first + count − 1, (count, L).
Tensor windows(const Sound& sound, std::int64_t first, std::int64_t count, std::int64_t L, std::int64_t S) {
  std::vector<double> rows;
  rows.reserve(static_cast<std::size_t>(count * L));
  for (std::int64_t t = first; t < first + count; ++t) {
    const auto begin = sound.samples.begin() + t * S;
    rows.insert(rows.end(), begin, begin + L);
  }
  return tensor(rows, {count, L});
}

}  // namespace

Tensor log_mel(const Sound& sound, const LogMelOptions& options) {
  constexpr double floor = 1e-10;
  constexpr std::int64_t at_once = 1024, most_bands = 1000;
  const NoGrad no_grad;
  const std::int64_t L = in_samples("the window", options.window, sound.rate),
                     S = in_samples("the step", options.step, sound.rate);
  if (options.bands < 1 || options.bands > most_bands) {
    fail("log_mel", "the number of bands must be from 1 to ", most_bands, ", and is ", options.bands);
  }
  const auto samples = std::ssize(sound.samples);
  if (samples < L) {
    fail("log_mel", "the sound has ", samples, " samples, less than one window of ", L,
         "; give a longer recording");
  }
  const auto N = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(L)));
  const std::int64_t K = N / 2 + 1, T = 1 + (samples - L) / S;
  const Tensor F = filters(options.bands, N, sound.rate), W = transform(L, N);
  std::vector<Tensor> parts;
  for (std::int64_t first = 0; first < T; first += at_once) {
    const Tensor X = matmul(windows(sound, first, std::min(at_once, T - first), L, S), W);
    const Tensor squares = X * X;
    const Tensor power = squares.slice(0, K, 1) + squares.slice(K, 2 * K, 1);  // |X|², (·, K)
    parts.push_back(log(clamp(matmul(power, F), floor, INFINITY)).to(Dtype::f32));
  }
  return concat(parts, 0);
}

}  // namespace gradus::speech
