"""Log-mel features, computed with NumPy's Fourier transform."""
from kit import Golden

import numpy as np
import torch


def log_mel_of(samples, rate, window, step, bands):
    """Converts samples in [−1, 1) to features (T, bands): Hann windows, |rfft|², triangles at equal mel distances, ln."""
    L, S = round(window * rate), round(step * rate)
    N = 1 << (L - 1).bit_length()
    frames = np.stack([samples[t:t + L] for t in range(0, len(samples) - L + 1, S)])
    power = np.abs(np.fft.rfft(frames * np.hanning(L), N)) ** 2
    f = 700 * (10 ** (np.linspace(0, 2595 * np.log10(1 + rate / 2 / 700), bands + 2) / 2595) - 1)
    at = np.fft.rfftfreq(N, 1 / rate)
    filters = np.stack([np.interp(at, f[m:m + 3], [0, 1, 0], left=0, right=0) for m in range(bands)])
    return np.log(np.maximum(power @ filters.T, 1e-10))


def sound(rate, count):
    """A sound with 16 bits: a falling tone, fading noise, and silence at the end."""
    t = np.arange(count) / rate
    noise = torch.randn(count).numpy()
    wave = 0.5 * np.sin(2 * np.pi * (1500 - 8000 * t) * t) + 0.1 * noise * np.exp(-40 * t)
    wave[-count // 3:] = 0
    return np.round(wave * 32767).astype(np.int64)


def log_mel():
    """Stores two cases; `pcm` are the 16-bit samples. The second case differs in rate, window, step and number of bands."""
    g = Golden("log_mel")
    for name, rate, count, window, step, bands in (("usual", 16000, 1500, 0.025, 0.010, 40), ("other", 8000, 500, 0.02, 0.0125, 12)):
        pcm = sound(rate, count)
        g.put_all({f"{name}.pcm": torch.from_numpy(pcm).reshape(-1, 50),
                   f"{name}.features": torch.from_numpy(log_mel_of(pcm / 32768, rate, window, step, bands))})
    g.write()


CASES = [log_mel]
