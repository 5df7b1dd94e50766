"""Functions of the autograd engine."""
from kit import Golden, leaf, rand

import torch
from torch import nn


def cross_entropy(N=9, V=5):
    """Cross-entropy, averaged over the rows whose target is not 0."""
    g = Golden("cross_entropy")
    targets = torch.tensor([3, 0, 1, 4, 0, 2, 4, 1, 0])
    leaves = {"logits": leaf(N, V, scale=3.0)}
    g.put(targets=targets)
    g.put_all(leaves)
    g.backward({"loss": nn.functional.cross_entropy(leaves["logits"], targets, ignore_index=0)}, leaves)
    g.write()


def functions(g, x_name, x, names):
    """Stores several functions of one x: their outputs and, for one incoming gradient, their gradients with respect to x."""
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


CASES = [cross_entropy, elementwise, softmax]
