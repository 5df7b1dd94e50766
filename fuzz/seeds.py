#!/usr/bin/env python3
"""Writes the seeds in fuzz/corpus, and the dictionary of the command's options.

The seeds of a target are small valid inputs, and some inputs just beyond a limit.

seeds.py GRADUS: GRADUS is the gradus program, which makes the checkpoints and lists its options.
"""

import pathlib
import re
import struct
import subprocess
import sys
import tempfile

CORPUS = pathlib.Path(__file__).parent / "corpus"
ENTRY = '"%s":{"dtype":"%s","shape":%s,"data_offsets":[%d,%d]}'
HEADERS = {
    "empty": ("{}", 0),
    "metadata": ('{"__metadata__":{"format":"pt","caf\\u00e9":"\\n"}}', 0),
    "one": ("{" + ENTRY % ("w", "F32", "[2,3]", 0, 24) + "}", 24),
    "three": ("{" + ",".join([ENTRY % ("a", "F64", "[]", 0, 8), ENTRY % ("b.c", "I64", "[1,0,2]", 8, 8),
                              ENTRY % ("d", "F32", "[1]", 8, 12)]) + "}   ", 12),
    "int8": ("{" + ENTRY % ("w.scale", "F32", "[2]", 0, 8) + "," + ENTRY % ("w", "I8", "[2,4]", 8, 16) + "}", 16),
    "bf16": ("{" + ENTRY % ("w", "BF16", "[2]", 0, 4) + "}", 4),
    "terabytes": ("{" + ENTRY % ("w", "F32", "[1000000000000]", 0, 4 * 10**12) + "}", 4),
    "too_large": ("{" + ENTRY % ("w", "F64", "[4294967296,4294967296]", 0, 8) + "}", 8),
}
NPY = "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }"
ARRAYS = {
    "row_major": (NPY % ("<f4", "False", "(2, 3)"), 24),
    "column_major": (NPY % ("<f8", "True", "(2, 1)"), 16),
    "number": (NPY % ("<i8", "False", "()"), 8),
    "terabytes": (NPY % ("<f4", "False", "(1000000, 1000000)"), 4),
}
TEXTS = {
    "vocabulary": {"words": "the\nof\ncafé\n中\n", "carriage": "a\r\nb\r\n"},
    "word_vectors": {"header": "3 2\nthe 0.5 -1e-3 \nof 1 2\nthe 3 4\n", "glove": "the 0.418 0.25\n. . 1 -2\né 3 4\n",
                     "count": "99999999999 2\nthe 1 2\n", "size": "1 99999999999\nthe 1 2\n"},
    "merges": {"word": "lower\n#version: 0.2\nl o\nlo w</w>\ne r</w>\n", "none": "x\n#version: 0.2\n"},
    "corpus": {"pairs": "Go.\tVa !\tnote\n\nI'm home.\tJe suis chez moi.\n",
               "files": "one\ttwo\n\fdeux\n", "chinese": "我在家。\tI'm “home”.\n", "mark": "\ufeffa\tﬁ Å\r\n"},
    "config": {"small": 'hidden=9\ncell="lstm"\ndropout=0.25\nlower=false\nphrases="eng-fra"\n',
               "paths": 'source="a folder/with \\"quotes\\""\nout=\'x\'\nseed=18446744073709551615\n',
               "sections": "# words\n[train]\nhidden=3\n"},
    "checkpoint_settings": {"small": 'hidden=3\nembedding=2\nenergy=2\ncell="lstm"\n', "layers": "layers=99999999999\n",
                            "embedding": "embedding=1000000\n", "energy": "energy=9999999\nhidden=1\nembedding=1\n",
                            "readout": 'readout="maxout"\nmaxout=99999999\nhidden=1\nembedding=1\nenergy=1\n'},
    "command_line": {"task": "--task\nreverse\n--hidden\n16\n--no-lower\n--learning-rate=1e-3\n",
                     "text": "--source\na b\n--target\nc\"d\n--bridge\nown\n--clip\ninf\n", "help": "--help\n"},
    "log": {"steps": '{"step":1,"loss":2.5,"cross_entropy":2.5,"gradient_norm":1,"learning_rate":0.001,'
                     '"tokens_per_second":9.5}\n{"step":2,"dev_loss":2,"score":2,"best":true,"seconds":0.5}\n'},
    "serve_request": {"text": '{"q":"Where is it?","source":"en","target":"fr","format":"text","alternatives":2}',
                "beam": '{"q":["a","b"],"beam":4,"n_best":3,"length_penalty":0.6,"alignments":true,"scores":true}',
                "sample": '{"q":"a","sample":true,"temperature":0.7,"top_k":5,"top_p":0.9,"seed":18446744073709551615}',
                "align": '{"q":"I see.","translation":"je vois .","model":"en-fr"}', "deep": "[[[[[[[[1]]]]]]]]", "large_number": '{"q":1e999}'},
    "links": {"both": "0-0 1?2\n\n3-1\n"},
}


def write(target, name, content):
    folder = CORPUS / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())


def wav_chunk(tag, content):
    return tag + struct.pack("<I", len(content)) + content + bytes(len(content) % 2)


def riff(chunks):
    return b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WAVE" + chunks


def write_checkpoints(gradus):
    """Trains tiny models, compresses the last one, and exports the result."""
    def run(*arguments):
        subprocess.run([gradus, *arguments], check=True, capture_output=True)

    with tempfile.TemporaryDirectory() as folder:
        trained, int8, tiny = (str(pathlib.Path(folder, name)) for name in ("run", "int8", "tiny"))
        for bpe in ("3", "0"):
            run("train", "--task", "reverse", "--symbols", "11", "--examples", "6", "--held-out", "1", "--max-length", "4", "--hidden", "1",
                "--embedding", "1", "--energy", "1", "--bpe", bpe, "--steps", "1", "--overwrite", "--threads", "1", "--out", trained)
            write("checkpoint", "bpe_" + bpe, pathlib.Path(trained, "best.safetensors").read_bytes())
        run("compress", "--int8", "--model", trained, "--out", int8)
        write("checkpoint", "int8", pathlib.Path(int8, "best.safetensors").read_bytes())
        run("export", "--model", int8, "--out", tiny)
        write("tiny", "linear", pathlib.Path(tiny).read_bytes())


def main():
    for name, (header, size) in HEADERS.items():
        write("safetensors", name, struct.pack("<Q", len(header)) + header.encode() + bytes(size))
        write("safetensors_json", name, bytes([size // 4]) + header.encode())
    write("safetensors", "long_header", struct.pack("<Q", 100_000_001) + b"{}")
    write("safetensors", "header_beyond_the_end", struct.pack("<Q", 99_999_999) + b"{}")
    for name, (header, size) in ARRAYS.items():
        write("npy", name, b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + bytes(size))
    sound = wav_chunk(b"fmt ", struct.pack("<HHIIHH", 1, 1, 16000, 32000, 2, 16))
    write("wav", "good", riff(sound + wav_chunk(b"data", bytes(range(100)))))
    write("wav", "others", riff(wav_chunk(b"LIST", b"odd") + sound + wav_chunk(b"fact", bytes(5000)) + wav_chunk(b"data", b"\1\2")))
    write("wav", "ten_hours", riff(sound + b"data" + struct.pack("<I", 10 * 3600 * 32000) + b"\1\2"))
    write("wav", "stereo", riff(wav_chunk(b"fmt ", struct.pack("<HHIIHH", 1, 2, 44100, 176400, 4, 16)) + wav_chunk(b"data", b"12345678")))
    for target, texts in TEXTS.items():
        for name, text in texts.items():
            write(target, name, text)
    text = subprocess.run([sys.argv[1], "train", "--help"], check=True, capture_output=True, text=True).stdout
    options = re.findall(r"--(\[no-\])?([a-z][a-z0-9-]+)", text)
    names = sorted({name for _, name in options} | {"no-" + name for negated, name in options if negated})
    CORPUS.with_name("options.dict").write_text(
        "# The options of gradus train, in the form of configurations and of the command line.\n"
        + "".join(f'"{name}="\n"--{name}\\x0a"\n' for name in names))
    write_checkpoints(sys.argv[1])


if __name__ == "__main__":
    main()
