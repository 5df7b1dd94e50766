"""Layers."""
from kit import Golden, leaf, randomise

import torch
from torch import nn


def layer(name, net, *inputs):
    """Stores a module's parameters, its inputs x_1, x_2, …, its output, and the gradients."""
    g = Golden(name)
    leaves = {**randomise(net), **{f"x_{i}": x for i, x in enumerate(inputs, 1)}}
    g.put_all(leaves)
    g.backward({"output": net(*inputs)}, leaves)
    g.write()


def bilinear(T=2, B=3, I_1=4, I_2=5, O=6):
    layer("bilinear", nn.Bilinear(I_1, I_2, O), leaf(T, B, I_1), leaf(T, B, I_2))
    layer("bilinear_plain", nn.Bilinear(I_1, I_2, O, bias=False), leaf(B, I_1), leaf(B, I_2))


def embedding(V=6, E=3, padding=2):
    g = Golden("embedding")
    net, ids = nn.Embedding(V, E, padding_idx=padding), torch.tensor([[4, 2, 0, 4], [2, 5, 1, 0]])
    weight = randomise(net)["weight"]
    weight.data[padding] = 0
    g.put(ids=ids, weight=weight)
    g.backward({"output": net(ids)}, {"weight": weight})
    g.write()


def layer_norm(T=2, B=3, N=5):
    layer("layer_norm", nn.LayerNorm(N, eps=1e-3), leaf(T, B, N, scale=2.0))


def sequential(B=3):
    layer("sequential", nn.Sequential(nn.Linear(4, 7), nn.Tanh(), nn.LayerNorm(7), nn.ReLU(), nn.Linear(7, 5), nn.Softplus(),
                                      nn.Linear(5, 6, bias=False), nn.Sigmoid()), leaf(B, 4))


def maxout(B=4, I=3, O=5, k=2):
    """Maximum over adjacent pairs (Bahdanau et al. 2015, A.2.2)."""
    g = Golden("maxout")
    leaves = {"weight": leaf(O * k, I), "bias": leaf(O * k), "x_1": leaf(B, I)}
    g.put_all(leaves)
    z = leaves["x_1"] @ leaves["weight"].T + leaves["bias"]
    g.backward({"output": torch.maximum(z[:, 0::2], z[:, 1::2])}, leaves)
    g.write()


CASES = [bilinear, embedding, layer_norm, sequential, maxout]
