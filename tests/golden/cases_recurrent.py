"""Recurrent modules."""
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


CASES = [gru_cell, gru, gru_plain]
