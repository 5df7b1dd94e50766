#!/usr/bin/env python3
"""gradus_tiny must write the same tokens as `gradus translate`, and refuse damaged models: tiny_test.py GRADUS TINY [RUNNER].

RUNNER is a program that runs TINY, such as qemu-arm.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

gradus, *tiny = sys.argv[1], *reversed(sys.argv[2:])


def run(*command, given=None):
    return subprocess.run([str(word) for word in command], input=given, capture_output=True, text=True, check=True).stdout


def refused(model, content, message):
    """TINY must refuse a model with this content, with `message` in its error. If `content` is None, writes no model."""
    if content is not None:
        model.write_bytes(content)
    done = subprocess.run([*tiny, model], input="3 1\n", capture_output=True, text=True)
    assert done.returncode == 1 and message in done.stderr and not done.stdout, (message, done)


def trained(folder, *options):
    """Trains a model for 150 steps, so that its tokens are neither random nor certain. Rounds it to int8, exports it, and
    returns the exported file."""
    run(gradus, "train", "--task", "reverse", "--examples", "2000", "--steps", "150", "--embedding", "16", "--hidden", "24",
        "--energy", "16", "--threads", "1", "--out", folder / "run", *options)
    run(gradus, "compress", "--int8", "--model", folder / "run", "--out", folder / "int8")
    run(gradus, "export", "--model", folder / "int8", "--out", folder / "model.tiny")
    return folder / "model.tiny"


def check_same(folder, model):
    pairs = run(gradus, "info", folder / "int8", "--pairs", "test").splitlines()[:300]
    sentences = "".join(pair.split("\t")[0] + "\n" for pair in pairs) + "\nunknown 3\n"
    ours = run(*tiny, model, given=sentences)
    theirs = run(gradus, "translate", "--model", folder / "int8", "--no-replace-unknown", given=sentences)
    assert ours.count("\n") == len(pairs) + 2, ours
    assert ours == theirs, [(a, b) for a, b in zip(ours.split("\n"), theirs.split("\n")) if a != b]


def main():
    for options in ((), ("--readout", "maxout", "--maxout", "12")):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            model = trained(folder, *options)
            check_same(folder, model)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        content = trained(folder).read_bytes()
        bad = folder / "bad"
        refused(folder, None, f"gradus_tiny: cannot read '{folder}': Is a directory; give a file of gradus export\n")
        refused(bad, None, f"gradus_tiny: cannot read '{bad}': No such file or directory; give a file of gradus export\n")
        refused(bad, b"", "is not a model for gradus_tiny")
        refused(bad, b"x" * 100, "is not a model for gradus_tiny")
        refused(bad, content[:-4], "is damaged")
        for at in (9, 20, len(content) // 2, len(content) - 1):
            refused(bad, content[:at] + bytes([content[at] ^ 1]) + content[at + 1:], "is damaged")
        for line, fault in (("3 " * 257, "has more than 256 tokens; split it"), ("3\0 3", "has a zero byte; remove it"),
                            ("3" * 16383, "has more than 16382 bytes; split it")):
            for before, end in (0, "\n"), (11, "\n"), (0, ""), (11, ""):
                given = "3\n" * before + line + end
                done = subprocess.run([*tiny, folder / "model.tiny"], input=given, capture_output=True, text=True)
                assert done.returncode == 1 and done.stderr == f"gradus_tiny: line {before + 1} {fault}\n", done
        for end in "\n", "":
            assert run(*tiny, folder / "model.tiny", given="3" * 16382 + end).count("\n") == 1
        assert run(*tiny, folder / "model.tiny", given="") == ""
        (folder / "line").write_text("3 1 4\n")
        for source, target, fault in (
                (folder / "line", "/dev/full", "write to standard output: No space left on device; free space, or write to another place"),
                (folder, "/dev/null", "read standard input: Is a directory; give a file or a pipe")):
            reading = os.open(source, os.O_RDONLY)
            with open(target, "w") as writing:
                done = subprocess.run([*tiny, folder / "model.tiny"], stdin=reading, stdout=writing, stderr=subprocess.PIPE, text=True)
            os.close(reading)
            assert done.returncode == 1 and done.stderr == f"gradus_tiny: cannot {fault}\n", done
        assert run(*tiny, "--help") == "usage: gradus_tiny MODEL < sentences\n"
    print("all passed")


if __name__ == "__main__":
    main()
