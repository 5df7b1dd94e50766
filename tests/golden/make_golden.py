#!/usr/bin/env python3
"""Writes the golden values beside this file: /usr/bin/python3 tests/golden/make_golden.py  (see README.md)"""
import os
from pathlib import Path

# The plainest kernels everywhere, so that every x86-64 machine writes the same bytes. Read when torch loads.
os.environ.update(OPENBLAS_CORETYPE="Prescott", OPENBLAS_NUM_THREADS="1", ATEN_CPU_CAPABILITY="default")
import torch
from torch import nn

HERE = Path(__file__).resolve().parent
torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)


class Golden:
    """One file: tensors in the order in which they are put."""

    def __init__(self, name):
        self.path, self.lines = HERE / f"{name}.txt", ["# made by make_golden.py with PyTorch 1.13.1"]
        torch.manual_seed(2014)  # every file by itself: a new case leaves the others' bytes alone

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
                self.lines.append(" ".join(map(repr, row)))  # repr: the shortest digits (at most 17) that read back exactly

    def backward(self, outputs, leaves):
        """Stores the outputs, random incoming gradients, and what these make of the leaves' gradients."""
        grad_outs = {name: rand(*t.shape) for name, t in outputs.items()}
        sum((grad_outs[name] * t).sum() for name, t in outputs.items()).backward()
        self.put_all(outputs)
        self.put_all(grad_outs, "grad_out.")
        self.put_all({name: t.grad for name, t in leaves.items()}, "grad.")

    def write(self):
        self.path.write_text("\n".join(self.lines) + "\n")


def rand(*shape):
    return (torch.randn(shape) * 1e4).round() / 1e4  # four decimals: short to read, and exact for both sides


def leaf(*shape, scale=1.0):
    return ((rand(*shape) * scale * 1e4).round() / 1e4).requires_grad_()


def randomise(module):
    """Gives a module short random weights and returns them by PyTorch's names."""
    for p in module.parameters():
        p.data = leaf(*p.shape, scale=0.5).data
    return dict(module.named_parameters())


def attend(query, values, lengths, W_a, U_a, v_a):
    """e_tj = v_a · tanh(W_a s + U_a h_j), softmax over j < length, c = Σ_j α_j h_j;  query (B,Q), values (T,B,D)."""
    energy = torch.tanh(query @ W_a.T + values @ U_a.T) @ v_a                     # (T,B)
    pad = torch.arange(len(values))[:, None] >= lengths                           # (T,B)
    weights = energy.masked_fill(pad, float("-inf")).softmax(0)
    return (weights[:, :, None] * values).sum(0), weights.T                       # (B,D), (B,T)


def gru_cell(I=3, H=4, B=5):
    g = Golden("gru_cell")
    cell = nn.GRUCell(I, H)
    leaves = {**randomise(cell), "x": leaf(B, I), "h": leaf(B, H)}
    g.put_all(leaves)
    g.backward({"output": cell(leaves["x"], leaves["h"])}, leaves)
    g.write()


def gru(T=6, B=4, I=3, H=5):
    """Bidirectional over padded sequences. x and grad_out are not zero at the pads: nothing may leak from there."""
    g = Golden("gru")
    net, lengths = nn.GRU(I, H, bidirectional=True), torch.tensor([3, 6, 1, 4])
    leaves = {**randomise(net), "x": leaf(T, B, I)}
    g.put(lengths=lengths)
    g.put_all(leaves)
    packed, h_n = net(nn.utils.rnn.pack_padded_sequence(leaves["x"], lengths, enforce_sorted=False))
    output, _ = nn.utils.rnn.pad_packed_sequence(packed, total_length=T)
    g.backward({"output": output, "h_n": h_n}, leaves)
    g.write()


def gru_plain(T=6, B=4, I=3, H=5):
    g = Golden("gru_plain")
    net = nn.GRU(I, H)
    leaves = {**randomise(net), "x": leaf(T, B, I), "h_0": leaf(1, B, H)}
    g.put_all(leaves)
    output, h_n = net(leaves["x"], leaves["h_0"])
    g.backward({"output": output, "h_n": h_n}, leaves)
    g.write()


def additive_attention(B=7, T=6, Q=3, D=5, A=4):
    g = Golden("additive_attention")
    lengths = torch.tensor([4, 6, 1, 3, 5, 2, 6])
    leaves = {"W_a.weight": leaf(A, Q), "U_a.weight": leaf(A, D), "v_a": leaf(A), "query": leaf(B, Q), "values": leaf(T, B, D)}
    g.put(lengths=lengths)
    g.put_all(leaves)
    context, weights = attend(leaves["query"], leaves["values"], lengths, leaves["W_a.weight"], leaves["U_a.weight"], leaves["v_a"])
    g.backward({"context": context, "weights": weights}, leaves)
    g.write()


def bahdanau_step(V=11, E=6, H=2, S=7, A=8, T=5, B=3):
    """Two steps of the decoder. S: its state, H: one direction of the encoder, D: an annotation."""
    D = 2 * H
    g = Golden("bahdanau_step")
    lengths, previous = torch.tensor([3, 5, 1]), torch.tensor([[1, 1, 1], [4, 9, 4]])
    p = {"embedding.weight": leaf(V, E), "attention.W_a.weight": leaf(A, S), "attention.U_a.weight": leaf(A, D),
         "attention.v_a": leaf(A), "W_s.weight": leaf(S, H)}
    cell = nn.GRUCell(E + D, S)
    p.update({f"cell.{name}": w for name, w in randomise(cell).items()})
    p.update({"readout.weight": leaf(V, S + D + E), "readout.bias": leaf(V)})
    inputs = {"annotations": leaf(T, B, D), "backward_h1": leaf(B, H)}
    g.put(lengths=lengths, previous_1=previous[0], previous_2=previous[1])
    g.put_all({**p, **inputs})

    s = torch.tanh(inputs["backward_h1"] @ p["W_s.weight"].T)
    states, logits = {"s_0": s}, {}
    for t in (1, 2):
        y = p["embedding.weight"][previous[t - 1]]
        c, weights = attend(s, inputs["annotations"], lengths, *(p[f"attention.{name}"] for name in ("W_a.weight", "U_a.weight", "v_a")))
        s = cell(torch.cat([y, c], 1), s)
        logits[f"logits_{t}"] = torch.cat([s, c, y], 1) @ p["readout.weight"].T + p["readout.bias"]
        states.update({f"weights_{t}": weights, f"s_{t}": s})
    g.put_all(states)
    g.backward(logits, {**p, **inputs})
    g.write()


def cross_entropy(N=9, V=5):
    """The mean over the rows whose target is not 0."""
    g = Golden("cross_entropy")
    targets = torch.tensor([3, 0, 1, 4, 0, 2, 4, 1, 0])
    leaves = {"logits": leaf(N, V, scale=3.0)}
    g.put(targets=targets)
    g.put_all(leaves)
    g.backward({"loss": nn.functional.cross_entropy(leaves["logits"], targets, ignore_index=0)}, leaves)
    g.write()


def adam():
    g = Golden("adam")
    params = {"weight": leaf(4, 3), "bias": leaf(5)}
    g.put_all(params)
    optimiser = torch.optim.Adam(params.values(), lr=0.01, betas=(0.9, 0.999), eps=1e-8)
    for step in range(1, 6):
        for p in params.values():
            p.grad = rand(*p.shape)
        params["bias"].grad[0] = 0.0                                              # never moves
        params["bias"].grad[1] *= 1e-8                                            # here eps shows
        g.put_all({name: p.grad for name, p in params.items()}, f"grad_{step}.")
        optimiser.step()
        g.put_all(params, f"step_{step}.")
    g.write()


def clip():
    """g · min(1, max_norm / (norm + 1e-6)), one norm over both gradients."""
    g = Golden("clip")
    for case, scale in (("above", 1.0), ("below", 0.1)):
        params = {"a": leaf(2, 3), "b": leaf(4)}
        for p in params.values():
            p.grad = leaf(*p.shape, scale=scale).data
        g.put_all({name: p.grad for name, p in params.items()}, f"{case}.before.")
        norm = nn.utils.clip_grad_norm_(params.values(), 1.0)
        assert (norm > 1) == (case == "above")
        g.put_all({"norm": norm}, f"{case}.")
        g.put_all({name: p.grad for name, p in params.items()}, f"{case}.after.")
    g.write()


def functions(g, x_name, x, names):
    """Each function's output, and x's gradient under it, for one x and one incoming gradient."""
    grad_out = rand(*x.shape)
    g.put_all({x_name: x, f"grad_out.{x_name}": grad_out})
    for name, f in names.items():
        x.grad, y = None, f(x)
        y.backward(grad_out)
        g.put_all({name: y, f"{name}.grad.{x_name}": x.grad})


def elementwise():
    g = Golden("elementwise")
    positive = torch.tensor([1e-300, 1e-10, 1e-5, 0.01, 0.1, 0.5, 1, 2, 5, 10, 19, 30, 100, 700])
    x = torch.cat([-positive.flip(0), torch.zeros(1), positive])
    functions(g, "x", x.requires_grad_(), {"tanh": torch.tanh, "sigmoid": torch.sigmoid, "exp": torch.exp})
    positive = torch.tensor([1e-300, 1e-10, 1e-5, 0.1, 0.5, 0.999, 1, 1.001, 2, 30, 1e5, 1e300])
    functions(g, "positive", positive.requires_grad_(), {"log": torch.log})
    g.write()


def softmax():
    g = Golden("softmax")
    x = torch.stack([rand(5), leaf(5, scale=30.0).detach(), torch.zeros(5), torch.full((5,), 700.0), torch.tensor([-30, 30, 0, 1, 29.5]),
                     torch.tensor([100, -100, 99, 0, 1.0]), torch.tensor([-700, 700, 699, 0, -100.0]), 1e-12 * rand(5)])
    functions(g, "x", x.requires_grad_(), {"softmax": lambda x: x.softmax(-1), "log_softmax": lambda x: x.log_softmax(-1)})
    g.write()


for case in (gru_cell, gru, gru_plain, additive_attention, bahdanau_step, cross_entropy, adam, clip, elementwise, softmax):
    case()
