"""Exchanges safetensors files with gradus. Writes states of PyTorch's modules with inputs and outputs; checks files from gradus."""
import safetensors_io
from kit import HERE

import torch
from torch import nn

FOLDER = HERE / "safetensors"


def short(*shape):
    """Random values that f32 represents exactly, because they have few digits."""
    return (torch.randn(shape) * 512).round() / 1024


def write(name, module, dtype, inputs, run):
    """Writes two files. name.safetensors: the state, as PyTorch users save it. name.values.safetensors: inputs, and outputs in double."""
    torch.manual_seed(2014)
    for p in module.parameters():
        p.data = short(*p.shape)
    inputs = {key: x() if callable(x) else torch.tensor(x) for key, x in inputs.items()}
    with torch.no_grad():
        outputs = run(module, **inputs)
    safetensors_io.save(FOLDER / f"{name}.safetensors", {key: w.to(dtype) for key, w in module.state_dict().items()}, {"format": "pt"})
    safetensors_io.save(FOLDER / f"{name}.values.safetensors", {**inputs, **outputs})


def gru(T=5, B=3, I=2, H=4):
    def run(net, x, lengths):
        packed, h_n = net(nn.utils.rnn.pack_padded_sequence(x, lengths, enforce_sorted=False))
        return {"output": nn.utils.rnn.pad_packed_sequence(packed, total_length=T)[0], "h_n": h_n}

    write("gru", nn.GRU(I, H, bidirectional=True), torch.float32, {"x": lambda: short(T, B, I), "lengths": [3, 5, 1]}, run)


def lstm(T=5, B=3, I=2, H=4):
    def run(net, x, lengths):
        packed, (h_n, c_n) = net(nn.utils.rnn.pack_padded_sequence(x, lengths, enforce_sorted=False))
        return {"output": nn.utils.rnn.pad_packed_sequence(packed, total_length=T)[0], "h_n": h_n, "c_n": c_n}

    write("lstm", nn.LSTM(I, H, bidirectional=True), torch.float32, {"x": lambda: short(T, B, I), "lengths": [3, 5, 1]}, run)


def rnn(T=5, B=3, I=2, H=4):
    def run(net, x):
        output, h_n = net(x)
        return {"output": output, "h_n": h_n}

    write("rnn", nn.RNN(I, H), torch.float32, {"x": lambda: short(T, B, I)}, run)


def linear(B=3, I=2, O=4):
    write("linear", nn.Linear(I, O), torch.float64, {"x": lambda: short(5, B, I)}, lambda net, x: {"output": net(x)})


def embedding(V=7, E=3):
    write("embedding", nn.Embedding(V, E), torch.float32, {"ids": [[1, 6], [0, 3], [6, 2], [5, 4]]}, lambda net, ids: {"output": net(ids)})


def layout():
    """A file with all kinds of names, types and shapes. The C++ test must write the same bytes."""
    safetensors_io.save(FOLDER / "layout.safetensors", {
        "weight": torch.arange(6, dtype=torch.float32).reshape(2, 3) / 8,
        "bias": torch.arange(3, dtype=torch.float64) / 10,
        "ids": torch.tensor([-(2**63), -1, 2**53 + 1, 2**63 - 1]),
        "scalar": torch.tensor(2.5, dtype=torch.float32),
        "none": torch.zeros((3, 0, 2), dtype=torch.int64),
        'a "quoted" \\ name\n\t\x01\x7f of łódź 東京 🎓': torch.zeros(1, dtype=torch.float32),
    }, {"format": "pt", "words": 'any "text"\r\n'})


def flat(result):
    return [result] if isinstance(result, torch.Tensor) else [t for part in result for t in flat(part)]


def from_cpp():
    """From each file that test_nn wrote, PyTorch must compute the outputs that the file stores."""
    for name, net in (("gru", nn.GRU(2, 4, bidirectional=True)), ("lstm", nn.LSTM(2, 4, bidirectional=True)),
                      ("rnn", nn.RNN(2, 4)), ("linear", nn.Linear(2, 4)), ("embedding", nn.Embedding(7, 3))):
        tensors = safetensors_io.load(FOLDER / f"{name}.from_cpp.safetensors")
        given = {key: tensors.pop(key) for key in tensors.keys() - net.state_dict().keys()}
        net.to(given["output"].dtype).load_state_dict(tensors)
        outputs = flat(net(given.pop("ids" if name == "embedding" else "x")))
        assert len(outputs) == len(given), name
        absolute, relative = (1e-10, 1e-10) if outputs[0].dtype == torch.float64 else (1e-6, 1e-5)
        for key, got in zip(("output", "h_n", "c_n"), outputs):
            assert (got - given[key]).abs().max() <= absolute + relative * given[key].abs().max(), (name, key)


CASES = [gru, lstm, rnn, linear, embedding, layout, from_cpp]
