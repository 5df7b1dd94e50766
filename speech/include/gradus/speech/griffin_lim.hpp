#pragma once

#include <gradus/autograd/random.hpp>
#include <gradus/speech/log_mel.hpp>

#include <cstdint>
#include <vector>

#pragma GCC visibility push(default)
namespace gradus::speech {

/// Magnitudes |X_tk| that have these log-mel features, in the symbols of log_mel():
///
///     |X_t|² = max(F⁺ exp(y_t), 0),  F⁺ = Fᵀ (F Fᵀ)⁻¹
///
/// F has a row for each band, and F⁺ is the pseudo-inverse of F. Many vectors of powers have the
/// same features; F⁺ exp(y_t) is the one with the smallest sum of squares. Negative powers become 0; the
/// features are then not exact. A frame has fewer bands than magnitudes, so the fine structure of a voice is
/// lost.
/// @param features (T, M) with M = options.bands
/// @param rate     samples per second of the sound
/// @return (T, K), f64
/// @throws Error for features of another shape, without frames, or whose exponentials are not finite; for
/// options that log_mel() refuses; and if two bands see the same frequencies.
Tensor magnitudes_of(const Tensor& features, std::int64_t rate, const LogMelOptions& options = {});

struct Reconstruction {
  Sound sound;
  /// ‖|X| − A‖ / ‖A‖ before each iteration and after the last one: how far the sound's magnitudes |X| are
  /// from the given ones, A. The norms are over all N frequencies. If A is 0, the distance is ‖|X|‖.
  std::vector<double> distances;
};

/// Sound whose magnitudes are close to A (Griffin and Lim, "Signal estimation from modified short-time
/// Fourier transform", 1984). Each iteration keeps the phases of the current sound's spectrum X, and replaces
/// its magnitudes by A. This gives the spectrum Y. Let y_t be the inverse Fourier transform of Y_t. The next
/// sound x is the one whose windows w_n x_{tS+n} are closest to the y_t:
///
///     Y_tk = A_tk X_tk / |X_tk|
///     x_n  = Σ_t w_{n−tS} y_{t, n−tS} / Σ_t w²_{n−tS}
///
/// The distance between |X| and A never grows. Samples whose Σ w² is below 0.1, such as those in the first
/// and last milliseconds, are set to 0, because dividing by a small number would make any inaccuracy loud.
/// @param A     (T, K), as returned by magnitudes() and magnitudes_of()
/// @param start L + (T − 1) S samples; the first iteration keeps the phases of this sound
/// @throws Error if A does not fit the rate and the options; if A has numbers that are negative or not
/// finite; if the start has another number of samples; or if `iterations` is negative.
Reconstruction griffin_lim(const Tensor& A, const Sound& start, std::int64_t iterations,
                           const LogMelOptions& options = {});

/// The same, with noise as the start.
Reconstruction griffin_lim(const Tensor& A, std::int64_t rate, std::int64_t iterations, Generator& generator,
                           const LogMelOptions& options = {});

}  // namespace gradus::speech
#pragma GCC visibility pop
