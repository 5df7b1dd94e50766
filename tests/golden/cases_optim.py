"""Optimisers and what belongs to them."""
from kit import Golden, leaf, rand

import torch
from torch import nn


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


CASES = [adam, clip]
