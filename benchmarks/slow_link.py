"""Measures how much communication over a slow link between two hosts is hidden behind the backward pass.

Needs root, iproute2 and Open MPI. The hosts are network namespaces of this machine, as in checks/hosts.py. Each process has
one thread and one shard.
"""

import json
import pathlib
import sys
import tempfile

import measured

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "checks"))
from hosts import Network  # noqa: E402

CASES = (("1gbit", 128, False), ("1gbit", 1024, False), ("1gbit", 1024, True), ("100mbit", 128, False),
         ("100mbit", 4096, True))  # rate of the link, sentences in a batch (both processes together), whether gradients are bf16


def steps(program, rate, batch, bf16):
    with tempfile.TemporaryDirectory() as folder, Network(2, rate, "1ms") as network:
        options = ["--config", "medium", "--batch", batch, "--batches", 1, "--cycles", 1, *(["--bf16-gradients"] if bf16 else [])]
        process = network.start(network.agent(pathlib.Path(folder)), program, options)
        out, error = process.communicate(timeout=600)
        if process.returncode != 0:
            sys.exit(error.strip())
        report = json.loads(out.splitlines()[-1])
        return {"rate": rate, "delay": network.delay, "batch": batch, "bf16": bf16} | {key: report[key] for key in ("step", "sum", "wait")}


def measure(program):
    return [steps(program, *case) for case in CASES]


def text(rows):
    return measured.table(["link", "sentences", "bf16", "step, s", "adding up, s", "waiting, s", "waiting / adding up"],
                          [[row["rate"], str(row["batch"]), "yes" if row["bf16"] else "no", f"{row['step']:.2f}", f"{row['sum']:.2f}", f"{row['wait']:.2f}",
                            f"{100 * row['wait'] / row['sum']:.0f} %"] for row in rows])
