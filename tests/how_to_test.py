#!/usr/bin/env python3
"""Runs the commands of the how-to pages: how_to_test.py BUILD.

Compilation is tested elsewhere: tests/CMakeLists.txt compiles these pages' programs. consumers/check.py builds them in empty
folders, and tests use-from-cmake.md.
"""

import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

from tutorial_prints import missing

ROOT = pathlib.Path(__file__).resolve().parent.parent


def block(page, language, after=""):
    """The page's first code block in this language after the given text."""
    text = (ROOT / "docs/how-to" / page).read_text()
    return re.search(rf"^```{language}\n(.*?)^```", text[text.index(after):], re.MULTILINE | re.DOTALL)[1]


def run(folder, *command, **more):
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    assert done.returncode == 0, f"{command} failed:\n{done.stdout}"
    return done.stdout


def train_on_your_text(folder, build):
    (folder / "run").write_text(f'#!/bin/sh\nshift\nexec {build}/tools/gradus "$@"\n')
    (folder / "run").chmod(0o755)
    out = run(folder, "bash", "-euo", "pipefail", "-c", block("train-on-your-text.md", "sh"))
    assert "sept livres" in out, out
    recorded = json.loads((ROOT / "docs/results/printed_train-on-your-text.json").read_text())["lines"]
    assert not missing(recorded, out.split("\n")), f"no longer printed: {missing(recorded, out.split(chr(10)))}"
    assert (folder / "looks.svg").exists()


def load_pytorch_weights(folder, build):
    """Runs the page's program on a file with the names and shapes that PyTorch would write. So the test needs no PyTorch."""
    compile(block("load-pytorch-weights.md", "python"), "load-pytorch-weights.md", "exec")
    header, end = {}, 0
    for direction in ("", "_reverse"):
        for name, shape in (("weight_ih", [12, 3]), ("weight_hh", [12, 4]), ("bias_ih", [12]), ("bias_hh", [12])):
            begin, end = end, end + 4 * shape[0] * (shape + [1])[1]
            header[f"{name}_l0{direction}"] = {"dtype": "F32", "shape": shape, "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    values = struct.pack(f"<{end // 4}f", *(i / end for i in range(end // 4)))
    (folder / "gru.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + values)
    out = run(folder, f"{build}/tests/pytorch_program")
    recorded = json.loads((ROOT / "docs/results/printed_load-pytorch-weights.json").read_text())["lines"]
    ours = recorded[:recorded.index("")]  # after the empty line, the record is PyTorch's output
    assert not missing(ours, out.split("\n")), f"no longer printed: {missing(ours, out.split(chr(10)))}"
    assert "weight_hh_l0_reverse (12, 4)" in out and "f32 (8) [" in out, out
    assert (folder / "back.safetensors").exists()


def debug(folder, build):
    """Runs the commands with the solution as the learner's file. gdb is used if it is installed."""
    mine = folder / "mine"
    mine.mkdir()
    shutil.copy(ROOT / "exercises/03_softmax_backward/solution.hpp", mine / "softmax_backward.hpp")
    (folder / "build").mkdir()
    (folder / "build/release").symlink_to(build)
    (folder / "run").write_text(f'#!/bin/sh\nshift\nexec {sys.executable} {ROOT}/exercises/exercise.py {build} "$@"\n')
    (folder / "run").chmod(0o755)
    commands = block("debug.md", "sh", "**In an exercise**").splitlines()
    assert [command.split()[0] for command in commands] == ["./run", "gdb", "./run"], commands
    if not shutil.which("gdb"):
        del commands[1]
    out = run(folder, "bash", "-euo", "pipefail", "-c", "\n".join(commands), env={**os.environ, "GRADUS_EXERCISES": str(mine)})
    assert "The program: " in out and "Every stage passed" in out, out
    assert len(commands) == 2 or re.search(r"Breakpoint 1, softmax_backward.*f64 \(\d+, \d+\) \[\[.*#0 .*softmax_backward.*#1 ", out, re.DOTALL), out


def main(build):
    for test in (train_on_your_text, load_pytorch_weights, debug):
        with tempfile.TemporaryDirectory() as folder:
            test(pathlib.Path(folder), build)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]).resolve())
