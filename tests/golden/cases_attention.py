"""Attention, and the decoder that uses attention."""
from kit import Golden, leaf, randomise

import torch
from torch import nn


def attend(query, values, lengths, W_a, U_a, v_a):
    """Additive attention. Computes e_tj = v_a · tanh(W_a s + U_a h_j), and calls look(). query (B,Q), values (T,B,D)."""
    return look(torch.tanh(query @ W_a.T + values @ U_a.T) @ v_a, values, lengths)


def look(energy, values, lengths):
    """Returns c = Σ_j α_j h_j and α, the softmax of the energies (T,B) over j < length."""
    pad = torch.arange(len(values))[:, None] >= lengths                           # (T,B)
    weights = energy.masked_fill(pad, float("-inf")).softmax(0)
    return (weights[:, :, None] * values).sum(0), weights.T                       # (B,D), (B,T)


def additive_attention(B=7, T=6, Q=3, D=5, A=4):
    g = Golden("additive_attention")
    lengths = torch.tensor([4, 6, 1, 3, 5, 2, 6])
    leaves = {"W_a.weight": leaf(A, Q), "U_a.weight": leaf(A, D), "v_a": leaf(A), "query": leaf(B, Q), "values": leaf(T, B, D)}
    g.put(lengths=lengths)
    g.put_all(leaves)
    context, weights = attend(leaves["query"], leaves["values"], lengths, leaves["W_a.weight"], leaves["U_a.weight"], leaves["v_a"])
    g.backward({"context": context, "weights": weights}, leaves)
    g.write()


def shared_additive_attention(B=7, T=6, Q=3, A=4):
    """Additive attention whose query and both halves of the values share W_a."""
    g = Golden("shared_additive_attention")
    lengths = torch.tensor([4, 6, 1, 3, 5, 2, 6])
    leaves = {"W_a.weight": leaf(A, Q), "v_a": leaf(A), "query": leaf(B, Q), "values": leaf(T, B, 2 * Q)}
    g.put(lengths=lengths)
    g.put_all(leaves)
    forward, backward = leaves["values"].split(Q, 2)
    inside = sum(x @ leaves["W_a.weight"].T for x in (leaves["query"], forward, backward))
    context, weights = look(torch.tanh(inside) @ leaves["v_a"], leaves["values"], lengths)
    g.backward({"context": context, "weights": weights}, leaves)
    g.write()


def location_attention(B=7, T=6, Q=3, D=5, A=4, K=2, R=5):
    """Chorowski et al. 2015, eq. 8 and 9. Normalises by exp, and in the cases `smooth.…` by the logistic function."""
    g = Golden("location_attention")
    lengths = torch.tensor([4, 6, 1, 3, 5, 2, 6])
    pad = torch.arange(T)[:, None] >= lengths                                     # (T,B)
    before = leaf(T, B).detach().masked_fill(pad, float("-inf")).softmax(0).T     # (B,T)
    g.put(lengths=lengths)
    for prefix in "", "smooth.":
        leaves = {"W_a.weight": leaf(A, Q), "U_a.weight": leaf(A, D), "F": leaf(K, R), "U_f.weight": leaf(A, K), "v_a": leaf(A),
                  "query": leaf(B, Q), "values": leaf(T, B, D), "before": before.clone().requires_grad_()}
        g.put_all(leaves, prefix)
        f = nn.functional.conv1d(leaves["before"][:, None], leaves["F"][:, None], padding=R // 2).permute(2, 0, 1)  # (T,B,K)
        inside = leaves["query"] @ leaves["W_a.weight"].T + leaves["values"] @ leaves["U_a.weight"].T + f @ leaves["U_f.weight"].T
        energy = torch.tanh(inside) @ leaves["v_a"]
        if prefix:
            sigma = energy.sigmoid().masked_fill(pad, 0)
            weights = sigma / sigma.sum(0)
            context, weights = (weights[:, :, None] * leaves["values"]).sum(0), weights.T
        else:
            context, weights = look(energy, leaves["values"], lengths)
        g.backward({"context": context, "weights": weights}, leaves, prefix)
    g.write()


def monotonic_attention(B=7, T=6, Q=3, D=5, A=4):
    """Raffel et al. 2017: eq. 16 for the energies; eq. 8 and 9 for the weights, computed element by element."""
    g = Golden("monotonic_attention")
    lengths = torch.tensor([4, 6, 1, 3, 5, 2, 6])
    pad = torch.arange(T)[:, None] >= lengths                                     # (T,B)
    before = 0.9 * leaf(T, B).detach().masked_fill(pad, float("-inf")).softmax(0).T
    leaves = {"W_a.weight": leaf(A, Q), "U_a.weight": leaf(A, D), "U_a.bias": leaf(A), "v": leaf(A), "g": leaf(), "r": leaf(),
              "query": leaf(B, Q), "values": leaf(T, B, D), "before": before.clone().requires_grad_()}
    W_a, U_a, b, v = (leaves[name] for name in ("W_a.weight", "U_a.weight", "U_a.bias", "v"))
    inside = leaves["query"] @ W_a.T + leaves["values"] @ U_a.T + b
    p = (leaves["g"] * torch.tanh(inside) @ (v / v.norm()) + leaves["r"]).sigmoid().masked_fill(pad, 0)     # (T,B)
    q, weights = torch.zeros(B, dtype=p.dtype), []
    for j in range(T):
        q = (1 - p[j - 1]) * q + leaves["before"][:, j] if j > 0 else leaves["before"][:, 0]
        weights.append(p[j] * q)
    weights = torch.stack(weights)                                                # (T,B)
    g.put(lengths=lengths)
    g.put_all(leaves)
    g.backward({"context": (weights[:, :, None] * leaves["values"]).sum(0), "weights": weights.T}, leaves)
    g.write()


def dot_product_attention(B=7, T=6, D=5):
    """Luong's dot, e_tj = s · h_j, and scaled dot, e_tj = s · h_j / √D."""
    lengths = torch.tensor([4, 6, 1, 3, 5, 2, 6])
    for name, scale in (("dot_product_attention", 1), ("scaled_dot_product_attention", D ** 0.5)):
        g = Golden(name)
        leaves = {"query": leaf(B, D), "values": leaf(T, B, D)}
        g.put(lengths=lengths)
        g.put_all(leaves)
        context, weights = look((leaves["query"] * leaves["values"]).sum(-1) / scale, leaves["values"], lengths)
        g.backward({"context": context, "weights": weights}, leaves)
        g.write()


def sparsemax(z):
    """Sparsemax of one row: algorithm 1 of Martins and Astudillo 2016."""
    ordered = z.sort(descending=True).values
    sizes = torch.arange(1, len(z) + 1)
    k = int((1 + sizes * ordered > ordered.cumsum(0)).sum())
    return (z - (ordered[:k].sum() - 1) / k).clamp(min=0)


def top_2_softmax(z):
    kept = z.topk(min(2, len(z))).indices
    return torch.zeros_like(z).scatter(0, kept, z[kept].softmax(0))


def sparse_attention(B=7, T=6, Q=3, D=5, A=4):
    """Additive energies with different normalisers: sparsemax, and the softmax over the two largest."""
    lengths = torch.tensor([4, 6, 1, 3, 5, 2, 6])
    for name, normalise in (("sparsemax_attention", sparsemax), ("top_k_attention", top_2_softmax)):
        g = Golden(name)
        leaves = {"W_a.weight": leaf(A, Q), "U_a.weight": leaf(A, D), "v_a": leaf(A), "query": leaf(B, Q), "values": leaf(T, B, D)}
        g.put(lengths=lengths)
        g.put_all(leaves)
        energy = torch.tanh(leaves["query"] @ leaves["W_a.weight"].T + leaves["values"] @ leaves["U_a.weight"].T) @ leaves["v_a"]
        weights = torch.stack([nn.functional.pad(normalise(energy[:n, b]), (0, T - n)) for b, n in enumerate(lengths.tolist())])
        context = (weights.T[:, :, None] * leaves["values"]).sum(0)
        g.backward({"context": context, "weights": weights}, leaves)
        g.write()


def local_attention(B=7, T=6, Q=3, D=5, A=4, window=1.5):
    """Luong's local-p with additive energies: a softmax over |j − p| ≤ window, multiplied by a Gaussian with σ = window / 2."""
    g = Golden("local_attention")
    lengths = torch.tensor([4, 6, 1, 3, 5, 2, 6])
    leaves = {"W_a.weight": leaf(A, Q), "U_a.weight": leaf(A, D), "W_p.weight": leaf(A, Q), "v_a": leaf(A), "v_p": leaf(A),
              "query": leaf(B, Q), "values": leaf(T, B, D)}
    g.put(lengths=lengths)
    g.put_all(leaves)
    energy = torch.tanh(leaves["query"] @ leaves["W_a.weight"].T + leaves["values"] @ leaves["U_a.weight"].T) @ leaves["v_a"]
    position = lengths * torch.sigmoid(torch.tanh(leaves["query"] @ leaves["W_p.weight"].T) @ leaves["v_p"])
    j = torch.arange(T)[:, None]
    away = j - position                                                           # (T,B)
    hidden = (away.abs() > window) | (j >= lengths)
    weights = energy.masked_fill(hidden, float("-inf")).softmax(0) * torch.exp(-away ** 2 / (2 * (window / 2) ** 2))
    context = (weights[:, :, None] * leaves["values"]).sum(0)
    g.backward({"context": context, "weights": weights.T}, leaves)
    g.write()


def multi_head(name, net, query, keys, values, lengths, causal=False):
    """Multi-head attention. If one tensor has several roles, the file stores it once, under the name of its first role."""
    g = Golden(name)
    leaves = {**randomise(net), "query": query, "keys": keys, "values": values}
    leaves = {name: x for i, (name, x) in enumerate(leaves.items()) if all(x is not y for y in list(leaves.values())[:i])}
    g.put(lengths=lengths)
    g.put_all(leaves)
    pad = torch.arange(len(keys)) >= lengths[:, None]                             # (B,T_k)
    later = torch.ones(len(query), len(keys), dtype=torch.bool).triu(1) if causal else None
    output, weights = net(query, keys, values, key_padding_mask=pad, attn_mask=later, average_attn_weights=False)
    g.backward({"output": output, "weights": weights}, leaves)
    g.write()


def multi_head_self(T=5, B=3, E=8):
    """Causal self-attention."""
    x = leaf(T, B, E)
    multi_head("multi_head_self", nn.MultiheadAttention(E, 4), x, x, x, torch.tensor([4, 5, 1]), causal=True)


def multi_head_cross(T_q=5, T_k=7, B=4, E=6, K=8, V=9):
    """Queries, keys and values have different sizes."""
    multi_head("multi_head_cross", nn.MultiheadAttention(E, 3, kdim=K, vdim=V), leaf(T_q, B, E), leaf(T_k, B, K),
               leaf(T_k, B, V), torch.tensor([2, 7, 1, 5]))


def multi_head_plain(T_q=4, T_k=7, B=5, E=6):
    """The projections have no biases."""
    x = leaf(T_k, B, E)
    multi_head("multi_head_plain", nn.MultiheadAttention(E, 3, bias=False), leaf(T_q, B, E), x, x, torch.tensor([5, 3, 1, 7, 2]))


def bahdanau_step(V=11, E=6, H=2, S=7, A=8, T=5, B=3):
    """Two steps of the decoder. Sizes: S of its state, H of one encoder direction, D of an annotation."""
    D = 2 * H
    g = Golden("bahdanau_step")
    lengths, previous = torch.tensor([3, 5, 1]), torch.tensor([[1, 1, 1], [4, 9, 4]])
    p = {"embedding.weight": leaf(V, E), "attention.W_a.weight": leaf(A, S), "attention.U_a.weight": leaf(A, D),
         "attention.v_a": leaf(A), "W_s.weight": leaf(S, H)}
    cell = nn.GRUCell(E + D, S)
    p.update({f"rnn.{name}_l0": w for name, w in randomise(cell).items()})
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


CASES = [additive_attention, shared_additive_attention, location_attention, monotonic_attention, dot_product_attention, sparse_attention, local_attention, multi_head_self, multi_head_cross, multi_head_plain, bahdanau_step]
