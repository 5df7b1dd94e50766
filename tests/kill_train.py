#!/usr/bin/env python3
"""Checks that a run that is killed many times ends with the weights of an uninterrupted run.

kill_train.py GRADUS [--kills N] [--seed N]: GRADUS is the command. SIGKILL ends the run at random moments. Each time, the run
is resumed from its folder, or started again if there is no checkpoint yet.
"""

import argparse
import json
import pathlib
import random
import signal
import subprocess
import tempfile
import time

SIZES = ["--hidden", "12", "--embedding", "8", "--energy", "8", "--batch", "8", "--max-length", "6", "--dropout", "0.1"]
COURSE = ["--task", "reverse", "--examples", "1000", "--held-out", "20", "--steps", "90", "--save-every", "2",
          "--eval-every", "9", "--threads", "1"]


def train(command, folder, *more):
    return subprocess.Popen([command, "train", *more, "--out", folder], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def tensors(path):
    """The tensors of a checkpoint by name, as (dtype, shape, bytes): weights, optimiser state, generators, position in the data."""
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8:8 + size])
    start = 8 + size
    return {name: (entry["dtype"], entry["shape"], data[start + entry["data_offsets"][0]:start + entry["data_offsets"][1]])
            for name, entry in header.items() if name != "__metadata__"}


def finish(process, what):
    error = process.communicate()[1].decode()
    assert process.returncode == 0, f"{what}: exit code {process.returncode}: {error}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("gradus")
    parser.add_argument("--kills", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    moments = random.Random(options.seed)

    with tempfile.TemporaryDirectory() as scratch:
        whole, killed = pathlib.Path(scratch, "whole"), pathlib.Path(scratch, "killed")
        start = time.monotonic()
        finish(train(options.gradus, whole, *COURSE, *SIZES), "the uninterrupted training")
        longest = time.monotonic() - start

        kills = resumed = began = 0
        while kills < options.kills:
            checkpoint = killed / "last.safetensors"
            if checkpoint.exists():
                assert tensors(checkpoint), "the checkpoint is empty"
                process, resumed = train(options.gradus, killed, "--resume", killed), resumed + 1
            else:
                process, began = train(options.gradus, killed, *COURSE, *SIZES, "--overwrite"), began + 1
            try:
                process.wait(moments.uniform(0, longest / 3))
                error = process.stderr.read().decode()
                assert process.returncode == 0, f"the training did not resume after {kills} kills: {error}"
                for file in killed.iterdir():  # the run has finished: start a new one
                    file.unlink()
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.wait()
                kills += 1
            process.stderr.close()
        if (killed / "last.safetensors").exists():
            finish(train(options.gradus, killed, "--resume", killed), "the last resumption")
        else:
            finish(train(options.gradus, killed, *COURSE, *SIZES, "--overwrite"), "the last start")

        assert tensors(killed / "last.safetensors") == tensors(whole / "last.safetensors"), "the last checkpoints differ"
        assert tensors(killed / "best.safetensors") == tensors(whole / "best.safetensors"), "the best checkpoints differ"
        left = {file.name for file in killed.iterdir()} ^ {file.name for file in whole.iterdir()}
        assert not left, f"stale or missing files: {left}"
        print(f"killed {kills} times, resumed {resumed} times, started {began} times; the final weights are equal")


if __name__ == "__main__":
    main()
