"""Log-mel features, and sound from magnitudes, with the Fourier transform of NumPy."""
from kit import Golden

import numpy as np
import torch


def stft(samples, L, S, N):
    """The Fourier transforms of Hann windows of L samples, one every S samples: (T, N / 2 + 1). N is the transform's size."""
    frames = np.stack([samples[t:t + L] for t in range(0, len(samples) - L + 1, S)])
    return np.fft.rfft(frames * np.hanning(L), N)


def filters_of(rate, N, bands):
    """Triangles at equal distances in mel, (bands, N / 2 + 1)."""
    f = 700 * (10 ** (np.linspace(0, 2595 * np.log10(1 + rate / 2 / 700), bands + 2) / 2595) - 1)
    at = np.fft.rfftfreq(N, 1 / rate)
    return np.stack([np.interp(at, f[m:m + 3], [0, 1, 0], left=0, right=0) for m in range(bands)])


def log_mel_of(samples, rate, window, step, bands):
    """Converts samples in [−1, 1) to features (T, bands): Hann windows, |rfft|², triangles at equal mel distances, ln."""
    L, S = round(window * rate), round(step * rate)
    N = 1 << (L - 1).bit_length()
    power = np.abs(stft(samples, L, S, N)) ** 2
    return np.log(np.maximum(power @ filters_of(rate, N, bands).T, 1e-10))


def sound(rate, count):
    """A falling tone, noise that fades, and a silent end, in 16 bits."""
    t = np.arange(count) / rate
    noise = torch.randn(count).numpy()
    wave = 0.5 * np.sin(2 * np.pi * (1500 - 8000 * t) * t) + 0.1 * noise * np.exp(-40 * t)
    wave[-count // 3:] = 0
    return np.round(wave * 32767).astype(np.int64)


def log_mel():
    """`pcm` are the 16-bit samples. The second case has a different rate, window, step and number of bands."""
    g = Golden("log_mel")
    for name, rate, count, window, step, bands in (("usual", 16000, 1500, 0.025, 0.010, 40), ("other", 8000, 500, 0.02, 0.0125, 12)):
        pcm = sound(rate, count)
        g.put_all({f"{name}.pcm": torch.from_numpy(pcm).reshape(-1, 50),
                   f"{name}.features": torch.from_numpy(log_mel_of(pcm / 32768, rate, window, step, bands))})
    g.write()


def istft(Y, L, S, N, count):
    """The sound whose windows are closest to Y. Samples that hardly any window covers are 0."""
    total, cover = np.zeros(count), np.zeros(count)
    for t, frame in enumerate(np.fft.irfft(Y, N)[:, :L]):
        total[t * S:t * S + L] += np.hanning(L) * frame
        cover[t * S:t * S + L] += np.hanning(L) ** 2
    return np.where(cover < 0.1, 0, total / np.maximum(cover, 0.1))


def griffin_lim():
    """Three iterations of Griffin and Lim from given first samples, and magnitudes from log-mel features. No random numbers."""
    g = Golden("griffin_lim")
    rate, L, S, N, T, bands = 8000, 160, 60, 256, 6, 12
    count = L + (T - 1) * S
    n = np.arange(count)
    samples = np.round(4096 * (0.4 * np.sin(0.2 * n + 1e-4 * n * n) + 0.2 * np.sin(0.9 * n))) / 4096  # exact in f32
    start = np.round(4096 * 0.1 * np.sin(12.9898 * n * n)) / 4096
    A = np.abs(stft(samples, L, S, N))
    norm = lambda spectrum: np.sqrt(np.sum(np.abs(spectrum[:, [*range(N // 2 + 1), *range(1, N // 2)]]) ** 2))
    cover = np.zeros(count)
    for t in range(T):
        cover[t * S:t * S + L] += np.hanning(L) ** 2
    x, distances = np.where(cover < 0.1, 0, start), []
    for step in range(4):
        X = stft(x, L, S, N)
        distances.append(norm(np.abs(X) - A) / norm(A))
        if step < 3:
            x = istft(A * np.exp(1j * np.angle(X)), L, S, N, count)
    features = np.round(1e4 * log_mel_of(samples, rate, L / rate, S / rate, bands)) / 1e4
    inverse = np.linalg.pinv(filters_of(rate, N, bands))
    put = {"sound": samples.reshape(-1, 46), "magnitudes": A, "start": start.reshape(-1, 46), "distances": np.array([distances]),
           "result": x.reshape(-1, 46), "features": features, "from_features": np.sqrt(np.maximum(np.exp(features) @ inverse.T, 0))}
    g.put_all({name: torch.from_numpy(value) for name, value in put.items()})
    g.write()


CASES = [log_mel, griffin_lim]
