"""Recurrent modules."""
import itertools

from kit import Golden, leaf, randomise

import torch
from torch import nn


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


def cell(kind, name, states, I=3, H=4, B=5, **options):
    g = Golden(name)
    net = kind(I, H, **options)
    leaves = {**randomise(net), "x": leaf(B, I), **{state: leaf(B, H) for state in states}}
    g.put_all(leaves)
    first = [leaves[state] for state in states]
    after = net(leaves["x"], tuple(first) if len(first) > 1 else first[0])
    g.backward(dict(zip(("h_1", "c_1"), after if len(first) > 1 else [after])), leaves)
    g.write()


def cells():
    cell(nn.RNNCell, "rnn_cell", "h")
    cell(nn.RNNCell, "rnn_cell_relu", "h", bias=False, nonlinearity="relu")
    cell(nn.LSTMCell, "lstm_cell", "hc")


def run(net, x, states, lengths):
    """The output, h_n and, of an LSTM, c_n; `states` are h_0 and c_0, or empty."""
    packed = x if lengths is None else nn.utils.rnn.pack_padded_sequence(x, lengths, net.batch_first, enforce_sorted=False)
    first = () if not states else (states[0],) if len(states) == 1 else (tuple(states),)
    output, last = net(packed, *first)
    if lengths is not None:
        output, _ = nn.utils.rnn.pad_packed_sequence(output, net.batch_first, total_length=x.shape[int(net.batch_first)])
    return dict(zip(("output", "h_n", "c_n"), (output, *(last if isinstance(last, tuple) else (last,)))))


def first_states(kind, *shape):
    return {name: leaf(*shape) for name in (("h_0", "c_0") if kind is nn.LSTM else ("h_0",))}


def through_layers(kind, name, layers, T=5, B=3, I=7, H=2, **options):
    """Every gradient, over padded sequences from given states, in both directions."""
    g = Golden(name)
    net, lengths = kind(I, H, layers, bidirectional=True, **options), torch.tensor([3, 1, 5])
    leaves = {**randomise(net), "x": leaf(T, B, I), **first_states(kind, 2 * layers, B, H)}
    g.put(lengths=lengths)
    g.put_all(leaves)
    states = [leaves[state] for state in ("h_0", "c_0") if state in leaves]
    g.backward(run(net, leaves["x"], states, lengths), leaves)
    g.write()


def layers():
    through_layers(nn.RNN, "rnn_layers", 2)
    through_layers(nn.RNN, "rnn_relu_layers", 2, bias=False, nonlinearity="relu")
    through_layers(nn.GRU, "gru_layers", 3)
    through_layers(nn.LSTM, "lstm_layers", 2)


# Each of bias, first state and lengths with and without, and each two of them in all four ways.
ROWS = ({"bias", "state", "lengths"}, {"bias"}, {"state"}, {"lengths"})


def outputs(kind, name, T=5, B=3, I=6, H=2):
    """Outputs for 1 to 3 layers in 1 and 2 directions, under all ROWS. Nets of fewer layers are the lower part of the one with 3."""
    g = Golden(name)
    x, lengths = leaf(T, B, I), torch.tensor([3, 1, 5])
    g.put(x=x, lengths=lengths)
    for directions in (1, 2):
        weights, states = randomise(kind(I, H, 3, bidirectional=directions == 2)), first_states(kind, 3 * directions, B, H)
        g.put_all({**weights, **states}, f"d{directions}.")
        for layers, row in itertools.product((1, 2, 3), ROWS):
            net = kind(I, H, layers, bias="bias" in row, bidirectional=directions == 2)
            net.load_state_dict({name: weights[name] for name, _ in net.named_parameters()})
            first = [state[:layers * directions] for state in states.values()] if "state" in row else []
            case = "_".join([f"l{layers}", f"d{directions}", *sorted(row)])
            g.put_all(run(net, x, first, lengths if "lengths" in row else None), f"{case}.")
    # The last net (three layers in both directions, without bias), once more: in batches of 1, and batch first.
    g.put_all(run(net, x[:, :1], [], lengths[:1]), "one.")
    net.batch_first = True
    g.put_all(run(net, x.transpose(0, 1), [], lengths), "batch_first.")
    g.write()


def grids():
    outputs(nn.RNN, "rnn_grid")
    outputs(nn.GRU, "gru_grid")
    outputs(nn.LSTM, "lstm_grid")


def original_step(x, h, weight_ih, weight_hh, bias_ih, bias_hh):
    """Cho et al. 2014, eq. 5-8: the reset gate comes before the product. Gates in PyTorch's order, r, z, n."""
    (W_r, W_z, W), (U_r, U_z, U) = weight_ih.chunk(3), weight_hh.chunk(3)
    b_r, b_z, b = (bias_ih + bias_hh).chunk(3)
    r = torch.sigmoid(x @ W_r.T + h @ U_r.T + b_r)
    z = torch.sigmoid(x @ W_z.T + h @ U_z.T + b_z)
    candidate = torch.tanh(x @ W.T + (r * h) @ U.T + b)
    return z * h + (1 - z) * candidate


def gru_cell_original(I=3, H=4, B=5):
    g = Golden("gru_cell_original")
    weights = randomise(nn.GRUCell(I, H))
    leaves = {**weights, "x": leaf(B, I), "h": leaf(B, H)}
    g.put_all(leaves)
    g.backward({"output": original_step(leaves["x"], leaves["h"], *weights.values())}, leaves)
    g.write()


def gru_original(T=5, B=3, I=7, H=2, layers=2):
    """Row by row, so that there is nothing to pad."""
    g = Golden("gru_original")
    weights, lengths = randomise(nn.GRU(I, H, layers, bidirectional=True)), torch.tensor([3, 1, 5])
    leaves = {**weights, "x": leaf(T, B, I), "h_0": leaf(2 * layers, B, H)}
    g.put(lengths=lengths)
    g.put_all(leaves)
    outputs, lasts = [], []
    for b, length in enumerate(lengths.tolist()):
        below, last = leaves["x"][:length, b], []
        for i, parameters in enumerate(zip(*[iter(weights.values())] * 4)):
            tokens = below if i % 2 == 0 else below.flip(0)
            h, states = leaves["h_0"][i, b], []
            for x in tokens:
                states.append(h := original_step(x, h, *parameters))
            last.append(h)
            if i % 2 == 0:
                forward = torch.stack(states)
            else:
                below = torch.cat([forward, torch.stack(states).flip(0)], 1)
        outputs.append(torch.cat([below, torch.zeros(T - length, 2 * H)]))
        lasts.append(torch.stack(last))
    g.backward({"output": torch.stack(outputs, 1), "h_n": torch.stack(lasts, 1)}, leaves)
    g.write()


CASES = [gru_cell, gru, gru_plain, cells, layers, grids, gru_cell_original, gru_original]
