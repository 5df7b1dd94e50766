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
    """A bidirectional GRU over padded sequences. x and grad_out are not zero in the padding, so an error there would show."""
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


def put_cell(g, prefix, kind, states, I=3, H=4, B=5, **options):
    """Stores a cell. `states` names the given initial states by their letters, such as "hc"; the other initial states are
    zeros."""
    net = kind(I, H, **options)
    leaves = {**randomise(net), "x": leaf(B, I), **{state: leaf(B, H) for state in states}}
    g.put_all(leaves, prefix)
    first = [leaves[state] for state in states]
    after = net(leaves["x"], *([tuple(first)] if kind is nn.LSTMCell and first else first))
    g.backward(dict(zip(("h_1", "c_1"), after if kind is nn.LSTMCell else [after])), leaves, prefix)


def cell(kind, name, states, **options):
    g = Golden(name)
    put_cell(g, "", kind, states, **options)
    g.write()


def cells():
    cell(nn.RNNCell, "rnn_cell", "h")
    cell(nn.RNNCell, "rnn_cell_relu", "h", bias=False, nonlinearity="relu")
    cell(nn.LSTMCell, "lstm_cell", "hc")


def lesser_cells():
    """Cells without biases, and cells without initial states."""
    g = Golden("lesser_cells")
    put_cell(g, "gru_no_bias.", nn.GRUCell, "h", bias=False)
    put_cell(g, "lstm_no_bias.", nn.LSTMCell, "hc", bias=False)
    put_cell(g, "rnn_no_state.", nn.RNNCell, "")
    put_cell(g, "gru_no_state.", nn.GRUCell, "")
    put_cell(g, "lstm_no_state.", nn.LSTMCell, "")
    g.write()


def run(net, x, states, lengths):
    """The output, h_n and, in an LSTM, c_n. `states` is (h_0,), (h_0, c_0) or empty."""
    packed = x if lengths is None else nn.utils.rnn.pack_padded_sequence(x, lengths, net.batch_first, enforce_sorted=False)
    first = () if not states else (states[0],) if len(states) == 1 else (tuple(states),)
    output, last = net(packed, *first)
    if lengths is not None:
        output, _ = nn.utils.rnn.pad_packed_sequence(output, net.batch_first, total_length=x.shape[int(net.batch_first)])
    return dict(zip(("output", "h_n", "c_n"), (output, *(last if isinstance(last, tuple) else (last,)))))


def first_states(kind, *shape):
    return {name: leaf(*shape) for name in (("h_0", "c_0") if kind is nn.LSTM else ("h_0",))}


def through_layers(kind, name, layers, run=run, T=5, B=3, I=7, H=2, **options):
    """Every gradient of a bidirectional net over padded sequences, from given initial states."""
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


# Each of bias, initial state and lengths is present or absent. For any two of these, all four combinations occur.
ROWS = ({"bias", "state", "lengths"}, {"bias"}, {"state"}, {"lengths"})


def outputs(kind, name, T=5, B=3, I=6, H=2):
    """Outputs of nets with 1 to 3 layers and 1 or 2 directions, for all ROWS. Smaller nets use the lower layers of the 3-layer net."""
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
    # Runs the last net again (three layers, bidirectional, no bias): once with a batch of 1, once with batch_first.
    g.put_all(run(net, x[:, :1], [], lengths[:1]), "one.")
    net.batch_first = True
    g.put_all(run(net, x.transpose(0, 1), [], lengths), "batch_first.")
    g.write()


def grids():
    outputs(nn.RNN, "rnn_grid")
    outputs(nn.GRU, "gru_grid")
    outputs(nn.LSTM, "lstm_grid")


def original_step(x, h, weight_ih, weight_hh, bias_ih=torch.zeros(()), bias_hh=torch.zeros(())):
    """Cho et al. 2014, eq. 5-8: the reset gate acts before the product. The gates have PyTorch's order r, z, n."""
    (W_r, W_z, W), (U_r, U_z, U) = weight_ih.chunk(3), weight_hh.chunk(3)
    b_r, b_z, b = (bias_ih + bias_hh).expand(len(weight_ih)).chunk(3)
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


def run_original(net, x, states, lengths):
    """Like `run`, for the original GRU. The weights are those of a PyTorch GRU. Runs row by row, so no padding is needed."""
    T, B, _ = x.shape
    D, parameters = 1 + net.bidirectional, list(zip(*[iter(net.parameters())] * (4 if net.bias else 2)))
    h_0 = states[0] if states else torch.zeros(len(parameters), B, net.hidden_size)
    outputs, lasts = [], []
    for b, length in enumerate([T] * B if lengths is None else lengths.tolist()):
        below, last = x[:length, b], []
        for layer in range(net.num_layers):
            halves = []
            for i in range(layer * D, (layer + 1) * D):
                h, after = h_0[i, b], []
                for token in below.flip(0) if i % D else below:
                    after.append(h := original_step(token, h, *parameters[i]))
                last.append(h)
                halves.append(torch.stack(after[::-1] if i % D else after))
            below = torch.cat(halves, 1)
        outputs.append(torch.cat([below, torch.zeros(T - length, below.shape[1])]))
        lasts.append(torch.stack(last))
    return {"output": torch.stack(outputs, 1), "h_n": torch.stack(lasts, 1)}


def gru_original():
    through_layers(nn.GRU, "gru_original", 2, run=run_original)


def put_net(g, prefix, run, kind, T, B, I, H, lengths=None, state=False, **options):
    net = kind(I, H, **options)
    first = first_states(kind, net.num_layers * (1 + net.bidirectional), B, H) if state else {}
    leaves = {**randomise(net), "x": leaf(T, B, I), **first}
    if lengths is not None:
        lengths = torch.tensor(lengths)
        g.put_all({"lengths": lengths}, prefix)
    g.put_all(leaves, prefix)
    g.backward(run(net, leaves["x"], list(first.values()), lengths), leaves, prefix)


def gradients(kind, name, run=run):
    """Every gradient of several nets. Most lack biases, lengths or states, or have only one step or one sequence."""
    g = Golden(name)
    put_net(g, "plain.", run, kind, T=4, B=3, I=5, H=2)
    put_net(g, "no_bias.", run, kind, T=4, B=3, I=5, H=2, bias=False, lengths=[3, 1, 4])
    put_net(g, "both_ways.", run, kind, T=4, B=5, I=7, H=3, bias=False, bidirectional=True)
    put_net(g, "three_layers.", run, kind, T=5, B=4, I=7, H=2, num_layers=3, lengths=[3, 1, 5, 2], state=True)
    put_net(g, "one_step.", run, kind, T=1, B=3, I=4, H=2)
    put_net(g, "one_token.", run, kind, T=3, B=1, I=4, H=2, lengths=[1], state=True)
    g.write()


def all_gradients():
    gradients(nn.RNN, "rnn_gradients")
    gradients(nn.GRU, "gru_gradients")
    gradients(nn.LSTM, "lstm_gradients")
    gradients(nn.GRU, "gru_original_gradients", run_original)


CASES = [gru_cell, gru, gru_plain, cells, lesser_cells, layers, grids, gru_cell_original, gru_original, all_gradients]
