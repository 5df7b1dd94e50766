#pragma once

#include <gradus/autograd/tensor.hpp>
#include <gradus/speech/wav.hpp>

#include <cstdint>

#pragma GCC visibility push(default)
namespace gradus::speech {

struct LogMelOptions {
  double window = 0.025;    ///< length of a frame's window, seconds
  double step = 0.010;      ///< seconds from the start of a frame to the start of the next
  std::int64_t bands = 40;  ///< M
};

/// Log-mel features: the loudness of each frequency band, every 10 ms by default.
///
///     X_tk = Σ_n w_n x_{t·S+n} e^(−2πi k n / N),  w_n = ½ − ½ cos(2πn / (L − 1))     a Hann window
///     y_tm = ln max(Σ_k F_mk |X_tk|², 10⁻¹⁰)
///
/// L and S are the window and the step in samples, rounded; N is the smallest power of 2 that is at least L.
/// The filter F_m rises from 0 at f_m to 1 at f_{m+1} and falls to 0 at f_{m+2}. The f_m are M + 2
/// frequencies from 0 to half the rate, equally spaced in mel = 2595 log₁₀(1 + f / 700) (Davis and
/// Mermelstein 1980). Only whole windows count, so T = 1 + ⌊(samples − L) / S⌋.
///
/// The Fourier transform is one product with a matrix of sines and cosines in f64, without an FFT. For a
/// minute of sound, this product takes a fraction of a second.
/// @return (T, M), f32
/// @throws Error for sound shorter than a window, for a window or step shorter than 1 sample or longer than a
/// second, for fewer than 1 or more than 1000 bands, and if a filter is empty because there are too many
/// bands.
Tensor log_mel(const Sound& sound, const LogMelOptions& options = {});

/// The magnitudes |X_tk| from which log_mel() computes the features. The option `bands` has no effect.
/// @return (T, K), f64, with K = N / 2 + 1
/// @throws Error as log_mel() does for the sound, the window and the step
Tensor magnitudes(const Sound& sound, const LogMelOptions& options = {});

}  // namespace gradus::speech
#pragma GCC visibility pop
