#include <gradus/autograd/ops.hpp>
#include <gradus/autograd/recording.hpp>
#include <gradus/autograd/scope.hpp>
#include <gradus/speech/griffin_lim.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "spectrum.hpp"

namespace gradus::speech {
namespace {

constexpr double least_cover = 0.1;  // of Σ w²

// (F Fᵀ)⁻¹ y_t for each row y_t of y (T, M). The argument F is (K, M), the transpose of F in this formula. A
// filter overlaps only its neighbours, so F Fᵀ is tridiagonal: one sweep down and one sweep up solve the
// system.
Tensor solve(const Tensor& F, const Tensor& y) {
  constexpr double least_pivot = 1e-6;
  const std::int64_t M = F.size(1), T = y.size(0);
  const Tensor gram = matmul(transpose(F, 0, 1), F);
  std::vector<double> ratios, pivots, result = y.to_vector<double>();
  for (std::int64_t m = 0; m < M; ++m) {
    const double diagonal = gram[m][m].item(), off = m == 0 ? 0 : gram[m][m - 1].item();
    ratios.push_back(m == 0 ? 0 : off / pivots.back());
    pivots.push_back(diagonal - off * ratios.back());
    if (pivots.back() < least_pivot * diagonal) {
      fail("magnitudes_of", "bands ", m, " and ", m + 1, " of ", M,
           " see the same frequencies; use fewer bands or a longer window");
    }
  }
  for (std::int64_t t = 0; t < T; ++t) {
    const std::span<double> row(result.data() + t * M, static_cast<std::size_t>(M));
    for (std::size_t m = 1; m < row.size(); ++m) row[m] -= ratios[m] * row[m - 1];
    for (std::size_t m = row.size(); m-- > 0;) {
      row[m] /= pivots[m];
      if (m + 1 < row.size()) row[m] -= ratios[m + 1] * row[m + 1];
    }
  }
  return tensor(result, {T, M});
}

bool all_finite(const Tensor& x) {
  return std::ranges::all_of(x.values<double>(), [](double number) { return std::isfinite(number); });
}

// Σ_t w²_{n−tS} for each sample n.
std::vector<double> cover(std::int64_t T, const Framing& framing) {
  std::vector<double> squares(static_cast<std::size_t>(framing.samples(T)));
  for (std::int64_t t = 0; t < T; ++t) {
    for (std::int64_t n = 0; n < framing.L; ++n) {
      const double w = hann(n, framing.L);
      squares[static_cast<std::size_t>(t * framing.S + n)] += w * w;
    }
  }
  return squares;
}

// The factors of the inverse Fourier transform, (2K). A frequency between the first and the last stands for
// two of the N frequencies, so it counts twice.
Tensor inverse_factors(const Framing& framing) {
  std::vector<double> factors(static_cast<std::size_t>(2 * framing.K));
  for (std::int64_t k = 0; k < framing.K; ++k) {
    const double count = k == 0 || 2 * k == framing.N ? 1 : 2;
    factors[static_cast<std::size_t>(k)] = factors[static_cast<std::size_t>(framing.K + k)] =
        count / static_cast<double>(framing.N);
  }
  return tensor(factors);
}

class GriffinLim {
 public:
  GriffinLim(const Tensor& A, const Framing& framing)
      : A_(A),
        framing_(framing),
        W_(transform(framing)),
        factors_(inverse_factors(framing)),
        cover_(cover(A.size(0), framing)),
        norm_(std::sqrt(sum(A * A * frequencies()).item())) {}

  // Silences the samples that hardly any window covers.
  void silence_ends(std::vector<double>& x) const {
    for (std::size_t n = 0; n < x.size(); ++n) {
      if (cover_[n] < least_cover) x[n] = 0;
    }
  }

  struct Step {
    double distance;  // of the old sound
    std::vector<double> x;
  };

  // One iteration.
  Step step(const std::vector<double>& x) const;

 private:
  // How often each of the K different frequencies occurs among all N frequencies.
  Tensor frequencies() const { return factors_.slice(0, framing_.K) * static_cast<double>(framing_.N); }

  // Returns Y, as [Re Y, −Im Y]. X has the same form, and `size` is |X|. Where X is 0, Y gets the phase 0.
  static Tensor with_phases(const Tensor& X, const Tensor& size, const Tensor& A) {
    const std::int64_t K = A.size(1);
    const Tensor is_zero = equal(size, zeros({}, Dtype::f64));
    const Tensor ratio = A / masked_fill(size, is_zero, 1);
    const Tensor real = where(is_zero, A, X.slice(0, K, 1) * ratio);
    return concat({real, X.slice(K, 2 * K, 1) * ratio}, 1);
  }

  // Adds windows to the sound.
  void add(const Tensor& parts, std::int64_t first, std::vector<double>& x) const {
    const std::span<const double> from = parts.values<double>();
    for (std::int64_t t = 0; t < parts.size(0); ++t) {
      for (std::int64_t n = 0; n < framing_.L; ++n) {
        x[static_cast<std::size_t>((first + t) * framing_.S + n)] +=
            from[static_cast<std::size_t>(t * framing_.L + n)];
      }
    }
  }

  Tensor A_;
  Framing framing_;
  Tensor W_, factors_;
  std::vector<double> cover_;
  double norm_;
};

GriffinLim::Step GriffinLim::step(const std::vector<double>& x) const {
  const std::int64_t T = A_.size(0);
  Step result{.distance = 0, .x = std::vector<double>(x.size())};
  for (std::int64_t first = 0; first < T; first += windows_at_once) {
    const std::int64_t count = std::min(windows_at_once, T - first);
    const Tensor X = matmul(windows(std::span<const double>(x), first, count, framing_), W_);
    const Tensor size = sqrt(power(X)), A = A_.slice(first, first + count);
    const Tensor off = size - A;
    result.distance += sum(off * off * frequencies()).item();
    add(matmul(with_phases(X, size, A) * factors_, transpose(W_, 0, 1)), first, result.x);
  }
  for (std::size_t n = 0; n < x.size(); ++n) {
    if (cover_[n] >= least_cover) result.x[n] /= cover_[n];
  }
  silence_ends(result.x);
  result.distance = norm_ == 0 ? std::sqrt(result.distance) : std::sqrt(result.distance) / norm_;
  return result;
}

Framing checked_framing(const Tensor& A, std::int64_t rate, const LogMelOptions& options) {
  const Framing shape = framing("griffin_lim", options, rate);
  if (A.rank() != 2 || A.size(0) < 1 || A.size(1) != shape.K) {
    fail("griffin_lim", "the magnitudes are ", A.shape(), " and must be (T, ", shape.K,
         ") at this rate and window, with T of at least 1");
  }
  return shape;
}

Tensor checked_magnitudes(const Tensor& A) {
  Tensor precise = A.to(Dtype::f64);
  if (!all_finite(precise) || min(precise).item() < 0) {
    fail("griffin_lim", "a magnitude is negative or not finite");
  }
  return precise;
}

}  // namespace

Tensor magnitudes_of(const Tensor& features, std::int64_t rate, const LogMelOptions& options) {
  const NoGrad no_grad;
  const Framing shape = framing("magnitudes_of", options, rate);
  const Tensor F = filters("magnitudes_of", options.bands, shape, rate);
  if (features.rank() != 2 || features.size(0) < 1 || features.size(1) != options.bands) {
    fail("magnitudes_of", "the features are ", features.shape(), " and must be (T, ", options.bands,
         "), with T of at least 1");
  }
  const Tensor bands = exp(features.to(Dtype::f64));
  if (!all_finite(bands)) fail("magnitudes_of", "the exponential of a feature is not finite");
  return sqrt(clamp(matmul(solve(F, bands), transpose(F, 0, 1)), 0, INFINITY));
}

Reconstruction griffin_lim(const Tensor& A, const Sound& start, std::int64_t iterations,
                           const LogMelOptions& options) {
  const NoGrad no_grad;
  const Framing shape = checked_framing(A, start.rate, options);
  if (std::ssize(start.samples) != shape.samples(A.size(0))) {
    fail("griffin_lim", "the start has ", start.samples.size(), " samples, and ", A.size(0), " windows need ",
         shape.samples(A.size(0)));
  }
  if (iterations < 0) fail("griffin_lim", "the number of iterations must be at least 0, and is ", iterations);

  const GriffinLim algorithm(checked_magnitudes(A), shape);
  Reconstruction result{.sound = {.samples = {}, .rate = start.rate}, .distances = {}};
  std::vector<double> x(start.samples.begin(), start.samples.end());
  algorithm.silence_ends(x);
  for (std::int64_t i = 0; i <= iterations; ++i) {
    GriffinLim::Step step = algorithm.step(x);
    result.distances.push_back(step.distance);
    if (i < iterations) x = std::move(step.x);
  }
  result.sound.samples.assign(x.begin(), x.end());
  return result;
}

Reconstruction griffin_lim(const Tensor& A, std::int64_t rate, std::int64_t iterations, Generator& generator,
                           const LogMelOptions& options) {
  constexpr double loudness = 0.1;  // of the start; each iteration keeps only the phases
  Sound start{.samples = {}, .rate = rate};
  start.samples.resize(static_cast<std::size_t>(checked_framing(A, rate, options).samples(A.size(0))));
  for (float& sample : start.samples) sample = static_cast<float>(loudness * generator.normal());
  return griffin_lim(A, start, iterations, options);
}

}  // namespace gradus::speech
