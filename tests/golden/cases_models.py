"""Whole models with teacher forcing, and an encoder with a convolution. The whole models compute each sentence on its own, so
the source needs no padding. Their loss ignores the padding of the targets."""
from cases_recurrent import original_step
from kit import Golden, leaf, randomise

import torch
from torch import nn

E, H, D, A, L = 2, 3, 6, 9, 8  # sizes: embedding, state, bidirectional annotation, energy, maxout
VX, VY = 11, 10                # sizes of the vocabularies
PAD, BOS = 0, 1
SOURCES = [[4, 9, 3], [6, 3, 5, 5, 7], [8], [9, 4, 6, 3]]
TARGETS = [[5, 9, 4, 2], [2], [3, 3, 8, 6, 4, 7, 2], [9, 2]]


def padded(rows):
    """Pads the rows to the longest: (longest, number of rows)."""
    return nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], padding_value=PAD)


def whole_model(name, make):
    """Stores a model. make() returns the parameters, and a function of x (Tx) and y_in (Ty). The function returns the logits (Ty,V),
    and the weights (Ty,Tx) or None."""
    g = Golden(f"model_{name}")
    p, model = make()
    source, target_in, target_out = padded(SOURCES), padded([[BOS] + y[:-1] for y in TARGETS]), padded(TARGETS)
    g.put(source=source, source_lengths=[len(x) for x in SOURCES])
    g.put(target_in=target_in, target_out=target_out, target_lengths=[len(y) for y in TARGETS])
    g.put_all(p)
    rows = [model(torch.tensor(x), target_in[:, b]) for b, x in enumerate(SOURCES)]
    logits = torch.stack([logits for logits, _ in rows], 1)
    g.put(logits=logits)
    if rows[0][1] is not None:
        longest = max(w.shape[1] for _, w in rows)
        g.put(weights=torch.stack([nn.functional.pad(w, (0, longest - w.shape[1])) for _, w in rows], 1))
    g.backward({"loss": nn.functional.cross_entropy(logits.flatten(0, 1), target_out.flatten(), ignore_index=PAD)}, p)
    g.write()


def recurrent(encoder, decoder):
    """The parameters of both embeddings and of both PyTorch modules, named as in gradus."""
    p = {"encoder.embedding.weight": leaf(VX, E), "decoder.embedding.weight": leaf(VY, E)}
    for prefix, net in (("encoder.rnn", encoder), ("decoder.rnn", decoder)):
        p.update({f"{prefix}.{name}": w for name, w in randomise(net).items()})
    return p


def linear(prefix, outputs, inputs):
    return {f"{prefix}.weight": leaf(outputs, inputs, scale=0.5), f"{prefix}.bias": leaf(outputs)}


def maxout(p, x):
    return (x @ p["decoder.readout.hidden.weight"].T + p["decoder.readout.hidden.bias"]).reshape(-1, 2).max(1).values


def logits_of(p, t):
    return t @ p["decoder.readout.weight"].T + p["decoder.readout.bias"]


def bridge(p, x):
    return torch.tanh(p["decoder.W_s.weight"] @ x)


def additive(queries, annotations):
    return {"decoder.attention.W_a.weight": leaf(A, queries), "decoder.attention.U_a.weight": leaf(A, annotations),
            "decoder.attention.v_a": leaf(A)}


def additive_energies(p, s, h, *_):
    """Bahdanau et al. 2015, A.1.2: e_j = v_a · tanh(W_a s + U_a h_j)."""
    W_a, U_a, v_a = (p[f"decoder.attention.{name}"] for name in ("W_a.weight", "U_a.weight", "v_a"))
    return torch.tanh(W_a @ s + h @ U_a.T) @ v_a


def general_energies(p, s, h, *_):
    """Luong et al. 2015, 3.1: e_j = h_j · W_a s."""
    return h @ (p["decoder.attention.W_a.weight"] @ s)


def top(state):
    """The top layer's h. `state` is (layers,H), or a pair (h, c) of such tensors."""
    return (state[0] if isinstance(state, tuple) else state)[-1]


def attentive(p, energies, h, y, state, step, read_out):
    """Runs the decoder. The query is the top layer's previous state. `read_out` gets s_t, c_t, E y_{t-1}, s_{t-1}."""
    logits, weights = [], []
    for e in p["decoder.embedding.weight"][y]:
        before = top(state)
        weights.append(energies(p, before, h, weights).softmax(0))
        c = weights[-1] @ h
        state = step(torch.cat([e, c]), state)
        logits.append(logits_of(p, read_out(top(state), c, e, before)))
    return torch.stack(logits), torch.stack(weights)


def one_step(net):
    return lambda x, state: net(x[None], state)[1]


def read_all(s, c, e, before):
    return torch.cat([s, c, e])


def sutskever():
    """Encoder and decoder have two layers each. The decoder starts from the encoder's last states."""
    encoder, decoder = nn.LSTM(E, H, 2), nn.LSTM(E, H, 2)
    p = {**recurrent(encoder, decoder), **linear("decoder.readout", VY, H)}

    def model(x, y):
        _, last = encoder(p["encoder.embedding.weight"][x])
        return logits_of(p, decoder(p["decoder.embedding.weight"][y], last)[0]), None
    return p, model


def fixed():
    """s_0 is computed from both directions. The logits depend only on the state."""
    encoder, decoder = nn.GRU(E, H, bidirectional=True), nn.GRU(E, H)
    p = {**recurrent(encoder, decoder), "decoder.W_s.weight": leaf(H, D), **linear("decoder.readout", VY, H)}

    def model(x, y):
        _, last = encoder(p["encoder.embedding.weight"][x])                         # →h_T and ←h_1
        s_0 = bridge(p, last.flatten())
        return logits_of(p, decoder(p["decoder.embedding.weight"][y], s_0[None])[0]), None
    return p, model


def cho():
    """Cho et al. 2014, A.1, with one difference: the decoder uses eq. 5-8, as the encoder does. In the paper, the decoder's reset gate also acts
    on c."""
    p = {**recurrent(nn.GRU(E, H), nn.GRU(E + H, H)),
         "decoder.V.weight": leaf(H, H), "decoder.W_s.weight": leaf(H, H),
         **linear("decoder.readout.hidden", 2 * L, H + H + E), **linear("decoder.readout", VY, L)}

    def step(prefix, x, h):
        return original_step(x, h, *(p[f"{prefix}.rnn.{name}_l0"] for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")))

    def model(x, y):
        h = torch.zeros(H)
        for e in p["encoder.embedding.weight"][x]:
            h = step("encoder", e, h)
        c = torch.tanh(p["decoder.V.weight"] @ h)
        s, logits = bridge(p, c), []
        for e in p["decoder.embedding.weight"][y]:
            s = step("decoder", torch.cat([e, c]), s)
            logits.append(logits_of(p, maxout(p, torch.cat([s, c, e]))))
        return torch.stack(logits), None
    return p, model


def bahdanau():
    """Bahdanau et al. 2015, appendix A, with biases."""
    p = {**recurrent(nn.GRU(E, H, bidirectional=True), nn.GRU(E + D, H)),
         **additive(H, D), "decoder.W_s.weight": leaf(H, H),
         **linear("decoder.readout.hidden", 2 * L, H + D + E), **linear("decoder.readout", VY, L)}

    def step(rnn, x, h):
        """The GRU of A.1.1. z is the weight of the new state. In the decoder, x is [E y; c], and W is the paper's [W C]."""
        def gates(name):
            of_r, of_z, of_new = p[rnn.format(name)].chunk(3)
            return of_r, -of_z, of_new                                              # 1 - σ(a) = σ(-a)
        (W_r, W_z, W), (U_r, U_z, U) = gates("weight_ih"), gates("weight_hh")
        b_r, b_z, b = (b_ih + b_hh for b_ih, b_hh in zip(gates("bias_ih"), gates("bias_hh")))
        r = torch.sigmoid(W_r @ x + U_r @ h + b_r)
        z = torch.sigmoid(W_z @ x + U_z @ h + b_z)
        new = torch.tanh(W @ x + U @ (r * h) + b)
        return (1 - z) * h + z * new

    def one_way(tokens, rnn):
        states = [torch.zeros(H)]
        for e in p["encoder.embedding.weight"][tokens]:
            states.append(step(rnn, e, states[-1]))
        return torch.stack(states[1:])

    def read_out(s, c, e, before):
        return maxout(p, torch.cat([before, c, e]))                                 # A.2.2: t_i reads s_{i-1}, not s_i

    def model(x, y):
        forward = one_way(x, "encoder.rnn.{}_l0")                                   # A.2.1
        backward = one_way(x.flip(0), "encoder.rnn.{}_l0_reverse").flip(0)
        h = torch.cat([forward, backward], 1)
        return attentive(p, additive_energies, h, y, bridge(p, backward[0])[None],
                         lambda x, state: step("decoder.rnn.{}_l0", x, state[0])[None], read_out)
    return p, model


def d2l():
    """Dive into Deep Learning: encoder and decoder have two layers each. The query is the top layer's state; the logits depend
    only on that state."""
    encoder, decoder = nn.GRU(E, H, 2), nn.GRU(E + H, H, 2)
    p = {**recurrent(encoder, decoder), **additive(H, H), **linear("decoder.readout", VY, H)}

    def model(x, y):
        h, last = encoder(p["encoder.embedding.weight"][x])
        return attentive(p, additive_energies, h, y, last, one_step(decoder), lambda s, *_: s)
    return p, model


def notebook():
    """Plain tanh RNNs that start from s_0 = 0."""
    encoder, decoder = nn.RNN(E, H, bidirectional=True), nn.RNN(E + D, H)
    p = {**recurrent(encoder, decoder), **additive(H, D), **linear("decoder.readout", VY, H + D + E)}

    def model(x, y):
        h, _ = encoder(p["encoder.embedding.weight"][x])
        return attentive(p, additive_energies, h, y, torch.zeros(1, H), one_step(decoder), read_all)
    return p, model


def tied():
    """Both embeddings and the readout share one matrix, so the maxout has the size of the embeddings."""
    encoder, decoder, rows = nn.GRU(E, H, bidirectional=True), nn.GRU(E + D, H), leaf(VY, E)
    p = {**recurrent(encoder, decoder), **additive(H, D), "decoder.W_s.weight": leaf(H, H),
         **linear("decoder.readout.hidden", 2 * E, H + D + E), "decoder.readout.bias": leaf(VY)}
    p.update({f"{name}.weight": rows for name in ("encoder.embedding", "decoder.embedding", "decoder.readout")})

    def model(x, y):
        h, last = encoder(rows[x])
        return attentive(p, additive_energies, h, y, bridge(p, last[1])[None], one_step(decoder), lambda *read: maxout(p, read_all(*read)))
    return p, model


def dot():
    """Dot-product attention whose query is projected to the size of the annotations."""
    encoder, decoder = nn.GRU(E, H, bidirectional=True), nn.GRU(E + D, H)
    p = {**recurrent(encoder, decoder), "decoder.attention.W_a.weight": leaf(D, H),
         "decoder.W_s.weight": leaf(H, H), **linear("decoder.readout", VY, H + D + E)}

    def model(x, y):
        h, last = encoder(p["encoder.embedding.weight"][x])
        return attentive(p, general_energies, h, y, bridge(p, last[1])[None], one_step(decoder), read_all)
    return p, model


def scaled_dot():
    """Like dot(), but scaled, and with two-layer LSTMs. The bridge computes h of both layers, followed by c of both layers."""
    encoder, decoder = nn.LSTM(E, H, 2, bidirectional=True), nn.LSTM(E + D, H, 2)
    p = {**recurrent(encoder, decoder), "decoder.attention.W_a.weight": leaf(D, H),
         "decoder.W_s.weight": leaf(4 * H, H), **linear("decoder.readout", VY, H + D + E)}

    def model(x, y):
        h, (last, _) = encoder(p["encoder.embedding.weight"][x])                    # last: → and ← of layer 0, → and ← of layer 1
        h_0, c_0 = bridge(p, last[3]).reshape(2, 2, H)
        return attentive(p, lambda *x: general_energies(*x) / D ** 0.5, h, y, (h_0, c_0), one_step(decoder), read_all)
    return p, model


def pairs(x):
    """Joins neighbours, (T,D) to (T/2,2D). If T is odd, a zero vector completes the last pair."""
    return nn.functional.pad(x, (0, 0, 0, len(x) % 2)).reshape(-1, 2 * x.shape[1])


def location():
    """Attention with location features, over a pyramid encoder with two levels."""
    K, R = 8, 31
    below, encoder, decoder = nn.GRU(2 * E, H, bidirectional=True), nn.GRU(2 * D, H, bidirectional=True), nn.GRU(E + D, H)
    p = {**recurrent(encoder, decoder), **additive(H, D), "decoder.attention.F": leaf(K, R), "decoder.attention.U_f.weight": leaf(A, K),
         "decoder.W_s.weight": leaf(H, H), **linear("decoder.readout", VY, H + D + E)}
    p.update({f"encoder.pyramid_0.{name}": w for name, w in randomise(below).items()})

    def energies(p, s, h, earlier):
        before = earlier[-1] if earlier else torch.eye(len(h))[0]
        f = nn.functional.conv1d(before[None], p["decoder.attention.F"][:, None], padding=R // 2)         # (K,T)
        W_a, U_a, U_f, v_a = (p[f"decoder.attention.{name}"] for name in ("W_a.weight", "U_a.weight", "U_f.weight", "v_a"))
        return torch.tanh(W_a @ s + h @ U_a.T + f.T @ U_f.T) @ v_a

    def model(x, y):
        h, last = encoder(pairs(below(pairs(p["encoder.embedding.weight"][x]))[0]))
        return attentive(p, energies, h, y, bridge(p, last[1])[None], one_step(decoder), read_all)
    return p, model


def models():
    for make in (sutskever, fixed, cho, bahdanau, d2l, notebook, tied, dot, scaled_dot, location):
        whole_model(make.__name__, make)


def encoder_convolution(T=7, B=4):
    """A bidirectional GRU, and nn.Conv1d of width 2 and stride 2 over its outputs. For two joined annotations, W_c [h; h'] is
    weight[:, :, 0] h + weight[:, :, 1] h'."""
    g = Golden("encoder_convolution")
    net, lengths, source = nn.GRU(E, H, bidirectional=True), torch.tensor([7, 4, 1, 5]), torch.randint(3, VX, (T, B))
    W_c = leaf(D, 2 * D)
    leaves = {"embedding.weight": leaf(VX, E), **{f"rnn.{name}": p for name, p in randomise(net).items()},
              "convolution.weight": W_c, "convolution.bias": leaf(D)}
    g.put(source=source, lengths=lengths)
    g.put_all(leaves)
    packed, _ = net(nn.utils.rnn.pack_padded_sequence(leaves["embedding.weight"][source], lengths, enforce_sorted=False))
    h, _ = nn.utils.rnn.pad_packed_sequence(packed, total_length=T + T % 2)                     # (T,B,D)
    joined = nn.functional.conv1d(h.permute(1, 2, 0), torch.stack(W_c.split(D, 1), 2), leaves["convolution.bias"], stride=2)
    pad = torch.arange(joined.shape[2])[:, None] >= (lengths + 1) // 2                          # (J,B)
    g.backward({"h": joined.permute(2, 0, 1).masked_fill(pad[:, :, None], 0)}, leaves)
    g.write()


CASES = [models, encoder_convolution]
