"""Statistics of initial values: mean, deviation, minimum and maximum."""
from kit import Golden

import torch
from torch import nn

SHAPE = O, I = 300, 500


def drawn(init, **options):
    return init(torch.empty(SHAPE), **options)


def statistics():
    g = Golden("init_statistics")
    for name, draw in {
        "uniform": lambda: drawn(nn.init.uniform_, a=-0.5, b=2.0),
        "normal": lambda: drawn(nn.init.normal_, mean=1.0, std=3.0),
        "xavier_uniform": lambda: drawn(nn.init.xavier_uniform_),
        "xavier_uniform_tanh": lambda: drawn(nn.init.xavier_uniform_, gain=nn.init.calculate_gain("tanh")),
        "xavier_normal": lambda: drawn(nn.init.xavier_normal_),
        "kaiming_uniform": lambda: drawn(nn.init.kaiming_uniform_, nonlinearity="relu"),
        "kaiming_uniform_out": lambda: drawn(nn.init.kaiming_uniform_, mode="fan_out", nonlinearity="linear"),
        "kaiming_normal": lambda: drawn(nn.init.kaiming_normal_, nonlinearity="relu"),
        "kaiming_normal_out": lambda: drawn(nn.init.kaiming_normal_, a=0.5, mode="fan_out"),
        "orthogonal": lambda: drawn(nn.init.orthogonal_, gain=2.0),
        "linear": lambda: nn.Linear(I, O).weight,
        "bilinear": lambda: nn.Bilinear(I, 6, 50).weight,
        "embedding": lambda: nn.Embedding(O, I).weight,
        "gru": lambda: nn.GRU(I, O // 3).weight_ih_l0,
    }.items():
        values = draw().detach()
        statistics = torch.stack([values.mean(), values.std(unbiased=False), values.min(), values.max()])
        g.put_all({name: (statistics * 1e7).round() / 1e7})  # further digits depend on the LAPACK build
    g.write()


CASES = [statistics]
