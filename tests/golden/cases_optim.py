"""Optimisers, clipping and schedules."""
from kit import Golden, leaf, rand

import torch
from torch import nn
from torch.optim import lr_scheduler as lr


def adam():
    g = Golden("adam")
    params = {"weight": leaf(4, 3), "bias": leaf(5)}
    g.put_all(params)
    optimiser = torch.optim.Adam(params.values(), lr=0.01, betas=(0.9, 0.999), eps=1e-8)
    for step in range(1, 6):
        for p in params.values():
            p.grad = rand(*p.shape)
        params["bias"].grad[0] = 0.0                                              # this element never moves
        params["bias"].grad[1] *= 1e-8                                            # so small that eps matters
        g.put_all({name: p.grad for name, p in params.items()}, f"grad_{step}.")
        optimiser.step()
        g.put_all(params, f"step_{step}.")
    g.write()


def clip():
    """Clips by g · min(1, max_norm / (norm + 1e-6)), where norm is the joint norm of both gradients."""
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


def clip_value():
    g = Golden("clip_value")
    gradient = leaf(3, 4)
    p = leaf(3, 4)
    p.grad = gradient.detach().clone()
    nn.utils.clip_grad_value_([p], 0.6)
    g.put(before=gradient, after=p.grad)
    g.write()


# Each entry has the optimiser, the options of the group with `weight`, and those of the group with `bias`. Every option occurs
# at least once.
OPTIMISERS = {
    "sgd": (torch.optim.SGD, dict(lr=0.1), dict(lr=0.02, weight_decay=0.3)),
    "sgd_momentum": (torch.optim.SGD, dict(lr=0.1, momentum=0.9, dampening=0.4),
                     dict(lr=0.02, momentum=0.5, dampening=-0.5, weight_decay=0.3)),
    "sgd_nesterov": (torch.optim.SGD, dict(lr=0.1, momentum=0.9, nesterov=True),
                     dict(lr=0.02, momentum=0.5, nesterov=True, weight_decay=0.3)),
    "adam": (torch.optim.Adam, dict(lr=0.1, betas=(0.8, 0.99), eps=0.01), dict(lr=0.02, weight_decay=0.3)),
    "adamw": (torch.optim.AdamW, dict(lr=0.1, betas=(0.8, 0.99), eps=0.01), dict(lr=0.02, weight_decay=0.3)),
    "rmsprop": (torch.optim.RMSprop, dict(lr=0.1, alpha=0.9, eps=0.01), dict(lr=0.02, weight_decay=0.3)),
    "rmsprop_momentum": (torch.optim.RMSprop, dict(lr=0.1, momentum=0.9),
                         dict(lr=0.02, momentum=0.5, weight_decay=0.3)),
    "rmsprop_centered": (torch.optim.RMSprop, dict(lr=0.1, centered=True, eps=0.01),
                         dict(lr=0.02, centered=True, eps=0.01, momentum=0.5, weight_decay=0.3)),
    "adagrad": (torch.optim.Adagrad, dict(lr=0.1, lr_decay=0.5), dict(lr=0.02, weight_decay=0.3, eps=0.01)),
    "adadelta": (torch.optim.Adadelta, dict(rho=0.95), dict(lr=0.5, rho=0.7, weight_decay=0.3, eps=0.01)),
}


def optimisers():
    """Two groups of parameters. The bias has no gradient at step 3. At all other steps, the gradient of its first element is
    small."""
    g = Golden("optimisers")
    start = {"weight": leaf(2, 3), "bias": leaf(4)}
    gradients = [{"weight": rand(2, 3), "bias": None if step == 3 else rand(4)} for step in range(1, 6)]
    for step, given in enumerate(gradients, 1):
        if given["bias"] is not None:
            given["bias"][0] *= 1e-6                                              # so small that eps matters
        g.put_all({name: t for name, t in given.items() if t is not None}, f"grad_{step}.")
    g.put_all(start)
    for case, (optimiser, first, second) in OPTIMISERS.items():
        params = {name: p.detach().clone().requires_grad_() for name, p in start.items()}
        optimiser = optimiser([{"params": [params["weight"]], **first}, {"params": [params["bias"]], **second}], lr=1.0)
        for step, given in enumerate(gradients, 1):
            for name, p in params.items():
                p.grad = given[name]
            optimiser.step()
            g.put_all(params, f"{case}.step_{step}.")
    g.write()


def schedules():
    """The learning rates of both groups before each of 21 steps, (21, 2)."""
    def rates(make, metrics=None):
        optimiser = torch.optim.SGD([{"params": [leaf(1)], "lr": 0.1}, {"params": [leaf(1)], "lr": 0.02}], lr=1.0)
        schedule, seen = make(optimiser), []
        for step in range(21):
            seen.append([group["lr"] for group in optimiser.param_groups])
            optimiser.step()
            schedule.step(*([metrics[step]] if metrics is not None else []))
        return torch.tensor(seen)

    def warm_up(optimiser, steps, start, then):
        rise = lr.LinearLR(optimiser, start_factor=start, total_iters=steps)
        return lr.SequentialLR(optimiser, [rise, then(optimiser)], milestones=[steps])

    g = Golden("schedules")
    g.put(step=rates(lambda o: lr.StepLR(o, 6, gamma=0.3)),
          exponential=rates(lambda o: lr.ExponentialLR(o, 0.9)),
          linear=rates(lambda o: lr.LinearLR(o, 0.2, 0.7, total_iters=13)),
          cosine=rates(lambda o: lr.CosineAnnealingLR(o, 20)),
          warm_up_exponential=rates(lambda o: warm_up(o, 5, 0.25, lambda o: lr.ExponentialLR(o, 0.8))),
          warm_up_step=rates(lambda o: warm_up(o, 4, 0.5, lambda o: lr.StepLR(o, 3, gamma=0.5))))
    # PyTorch's eta_min is an absolute rate for all groups. Here the minimum is 0.25 times the group's own rate, so each group
    # is computed by itself.
    cosines = [rates(lambda o: lr.CosineAnnealingLR(o, 20, eta_min=0.25 * rate))[:, k] for k, rate in enumerate((0.1, 0.02))]
    g.put(cosine_minimum=torch.stack(cosines, 1))
    falling = torch.tensor([5, 4, 4.1, 3.99, 3.2, 3.3, 3.19, 3.4, 3.5, 3.6, 3, 3.1, 3.1, 3.1, 2.98, 3.1, 2.0, 2.1, 2.2, 2.3, 2.4])
    g.put(falling=falling,
          plateau=rates(lambda o: lr.ReduceLROnPlateau(o, factor=0.5, patience=1, threshold=0.01), falling),
          plateau_patience=rates(lambda o: lr.ReduceLROnPlateau(o, factor=0.5, patience=2, threshold=0), falling),
          plateau_training=rates(lambda o: lr.ReduceLROnPlateau(o, factor=0.3, patience=1, min_lr=[0.002, 0.0004]), falling),
          plateau_cooldown=rates(lambda o: lr.ReduceLROnPlateau(o, factor=0.5, patience=0, threshold=0.05, cooldown=2,
                                                                min_lr=0.004), falling),
          plateau_higher=rates(lambda o: lr.ReduceLROnPlateau(o, "max", factor=0.5, patience=1, threshold=0.1), 6 - falling))
    g.write()


CASES = [adam, clip, clip_value, optimisers, schedules]
