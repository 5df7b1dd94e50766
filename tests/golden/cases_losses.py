"""Losses."""
from kit import Golden, leaf

import torch
from torch import nn


def smoothed(g, amount, prefix="", T=4, B=3, V=5):
    """The cross-entropy with label smoothing, over the real tokens: t < the sequence's length."""
    targets, lengths = torch.tensor([[3, 0, 1], [1, 4, 2], [0, 0, 3], [2, 1, 0]]), torch.tensor([3, 1, 4])
    leaves = {"logits": leaf(T, B, V, scale=3.0)}
    g.put_all({"targets": targets, "lengths": lengths, **leaves}, prefix)
    real = torch.arange(T)[:, None] < lengths
    loss = nn.functional.cross_entropy(leaves["logits"][real], targets[real], label_smoothing=amount)
    g.backward({"loss": loss}, leaves, prefix)


def label_smoothing():
    g = Golden("label_smoothing")
    smoothed(g, 0.1)
    g.write()


def label_smoothing_amounts():
    """Three amounts of smoothing: none, an unusually large one, and 1."""
    g = Golden("label_smoothing_amounts")
    smoothed(g, 0.0, "none.")
    smoothed(g, 0.3, "some.")
    smoothed(g, 1.0, "all.")
    g.write()


def attention_losses(T_y=4, B=3, T_x=5):
    """The mean entropy, and the coverage loss of See et al. 2017, both averaged over the real steps: t < target length."""
    g = Golden("attention_losses")
    lengths = torch.tensor([3, 1, 4])
    weights = (leaf(T_y, B, T_x).detach().softmax(-1) * 1e4).round().div(1e4).requires_grad_()
    g.put(lengths=lengths)
    g.put_all({"weights": weights})
    real = torch.arange(T_y)[:, None] < lengths
    entropy = -(weights * weights.log()).sum(-1)
    covered = torch.stack([sum(weights[:t], torch.zeros(B, T_x)) for t in range(T_y)])
    coverage = torch.minimum(weights, covered).sum(-1)
    g.backward({"entropy": entropy[real].mean(), "coverage": coverage[real].mean()}, {"weights": weights})
    g.write()


def distillation(N=6, V=5):
    """Hinton et al.'s loss at several temperatures."""
    g = Golden("distillation")
    for name, temperature in {"low": 0.5, "one": 1.0, "high": 4.0}.items():
        leaves, teacher = {"student": leaf(N, V, scale=3.0)}, leaf(N, V, scale=3.0).detach()
        g.put_all({**leaves, "teacher": teacher}, f"{name}.")
        p, q = (leaves["student"] / temperature).log_softmax(-1), (teacher / temperature).softmax(-1)
        loss = nn.functional.kl_div(p, q, reduction="batchmean") * temperature**2
        g.backward({"loss": loss}, leaves, f"{name}.")
    g.write()


CASES = [label_smoothing, label_smoothing_amounts, attention_losses, distillation]
