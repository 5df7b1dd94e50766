"""Shared by all cases: a file of tensors, and random values with few digits."""
import os
from pathlib import Path

# Selects baseline kernels, so that every x86-64 machine writes the same bytes. torch and NumPy read these variables when they are
# imported.
os.environ.update(OPENBLAS_CORETYPE="Prescott", OPENBLAS_NUM_THREADS="1", ATEN_CPU_CAPABILITY="default",
                  NPY_DISABLE_CPU_FEATURES="AVX2 FMA3 AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL")
import torch

HERE = Path(__file__).resolve().parent
torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)


class Golden:
    """A file of tensors, written in the order of the put() calls."""

    def __init__(self, name):
        self.path, self.lines = HERE / f"{name}.txt", ["# made by make_golden.py with PyTorch 1.13.1"]
        torch.manual_seed(2014)  # one seed per file, so that a new case does not change other files

    def put(self, **tensors):
        for name, t in tensors.items():
            self.put_all({name: t})

    def put_all(self, tensors, prefix=""):
        for name, t in tensors.items():
            t = torch.as_tensor(t).detach()
            kind = "f64" if t.is_floating_point() else "i64"
            assert t.dtype in (torch.float64, torch.int64) and t.numel() and t.isfinite().all(), name
            self.lines.append(f"tensor {prefix}{name} {kind} {'x'.join(map(str, t.shape)) or 'scalar'}")
            for row in t.reshape(-1, t.shape[-1] if t.dim() else 1).tolist():
                self.lines.append(" ".join(map(repr, row)))  # repr prints the shortest digits that read back exactly

    def backward(self, outputs, leaves, prefix=""):
        """Stores the outputs, random incoming gradients, and the resulting gradients of the leaves."""
        grad_outs = {name: rand(*t.shape) for name, t in outputs.items()}
        sum((grad_outs[name] * t).sum() for name, t in outputs.items()).backward()
        self.put_all(outputs, prefix)
        self.put_all(grad_outs, f"{prefix}grad_out.")
        self.put_all({name: t.grad for name, t in leaves.items()}, f"{prefix}grad.")

    def write(self):
        self.path.write_text("\n".join(self.lines) + "\n")


def rand(*shape):
    return (torch.randn(shape) * 1e4).round() / 1e4  # four decimals: short, and read as the same double everywhere


def leaf(*shape, scale=1.0):
    return ((rand(*shape) * scale * 1e4).round() / 1e4).requires_grad_()


def randomise(module):
    """Sets a module's weights to random values with few digits. Returns them by PyTorch's names."""
    for p in module.parameters():
        p.data = leaf(*p.shape, scale=0.5).data
    return dict(module.named_parameters())
