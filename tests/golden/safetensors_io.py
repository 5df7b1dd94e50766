"""A minimal reader and writer of the safetensors format. (Debian does not package the Python library.)"""
import json

import numpy as np
import torch

TYPES = {"I64": "<i8", "F64": "<f8", "F32": "<f4"}  # in the order in which the safetensors library writes tensors


def save(path, tensors, metadata=None):
    arrays = {name: t.detach().numpy() for name, t in tensors.items()}
    kinds = {name: next(kind for kind, dtype in TYPES.items() if a.dtype == dtype) for name, a in arrays.items()}
    header, values = {"__metadata__": dict(sorted(metadata.items()))} if metadata else {}, b""
    for name in sorted(arrays, key=lambda name: (list(TYPES).index(kinds[name]), name.encode())):
        begin, values = len(values), values + arrays[name].tobytes()
        header[name] = {"dtype": kinds[name], "shape": list(arrays[name].shape), "data_offsets": [begin, len(values)]}
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(len(text).to_bytes(8, "little") + text + values)


def load(path):
    content = path.read_bytes()
    start = 8 + int.from_bytes(content[:8], "little")
    tensors = {}
    for name, entry in json.loads(content[8:start]).items():
        if name != "__metadata__":
            begin, end = (start + offset for offset in entry["data_offsets"])
            values = np.frombuffer(content[begin:end], np.dtype(TYPES[entry["dtype"]])).copy()
            tensors[name] = torch.from_numpy(values).reshape(entry["shape"])
    return tensors
