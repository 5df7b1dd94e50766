#!/usr/bin/env python3
"""Measures training in 1, 2 and 4 processes of one thread each, and predicts larger jobs.

Every round runs each number of processes, so that other load on the machine affects all of them. The fastest round counts. 1 and 2
processes cut each batch into 2 shards, so their weights agree bit for bit. The same holds for 1 and 4 processes with 4 shards.

The prediction is the alpha-beta model: a message of n bytes takes alpha + beta n. P processes sum G bytes of gradients by recursive
halving and doubling in c = 2 alpha log2 P + 2 beta G (P - 1) / P seconds. Each process computes a batch as large as the one measured
with one process. With overlap, the sum of a bucket of gradients starts when the bucket is ready and the previous sum has ended.

--link measures how long two hosts wait for the slow link between them.
"""

import argparse
import json
import math
import os
import pathlib
import subprocess
import sys

import measured
import slow_link

CONFIGS = ("small", "medium", "paper")
CORES = 2  # cores of the measuring machine; 4 processes share them
# The measurements of ./run bench machines, as name: (number of processes, options). With 0 processes, the program runs without
# mpirun.
KINDS = {"one": (1, "--shards", 2), "two": (2, "--shards", 2), "bf16": (2, "--shards", 2, "--bf16-gradients"), "plain": (0, "--shards", 2),
         "one_of_4": (1, "--shards", 4), "four": (4, "--shards", 4)}
PAPER = ("one", "two", "bf16")  # the only measurements for `paper`, whose steps take long
FEW = {"medium": ("--batches", 3, "--cycles", 1), "paper": ("--batches", 1, "--cycles", 1)}
ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
               "OMPI_MCA_hwloc_base_binding_policy": "none"}
# Assumed seconds per message and per byte, for networks that are not measured here.
NETWORKS = {"1 Gbit/s": (50e-6, 8e-9), "10 Gbit/s": (20e-6, 0.8e-9), "100 Gbit/s": (3e-6, 0.08e-9)}
JOBS = (8, 64, 1024)


def run(program, processes, *options):
    command = [*(["mpirun", "-n", str(processes)] if processes > 0 else []), str(program), *map(str, options)]
    done = subprocess.run(command, env={**measured.neutral_environment(), **ENVIRONMENT}, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr.strip()}")
    return json.loads(done.stdout.splitlines()[-1])


def steps(program, config, rounds):
    """The fastest round of each measurement. `apart` is the step time of one process that computes a batch as one shard."""
    best = {}
    few = FEW.get(config, ())
    for _ in range(1 if config == "paper" else rounds):
        for kind in PAPER if config == "paper" else KINDS:
            processes, *options = KINDS[kind]
            now = run(program, processes, "--config", config, *options, *few)
            best[kind] = min(best.get(kind, now), now, key=lambda report: report["step"])
    one = best["one"]
    row = {"config": config, "parameters": one["parameters"], "update": one["update"], **{kind: report["step"] for kind, report in best.items()},
           **{f"{kind}_{part}": best[kind][part] for kind in ("two", "bf16") for part in ("sum", "wait")}}
    apart = run(program, 0, "--config", config, "--shards", 2, "--pretend", 2, "--batch", 2 * one["sentences"], *few)
    return row | {"apart": apart["step"], "buckets": apart["buckets"]}


def fitted(sums):
    """Fits (alpha, beta) to measured times of summing n bytes in 2 processes. The model is 2 alpha + beta n; the fit minimises
    the sum of squared relative errors."""
    rows = [(row["bytes"], row["seconds"]) for row in sums]
    a, b, c = (sum(f(n, t) for n, t in rows) for f in (lambda n, t: 4 / t**2, lambda n, t: 2 * n / t**2, lambda n, t: n * n / t**2))
    d, e = sum(2 / t for _, t in rows), sum(n / t for n, t in rows)
    determinant = a * c - b * b
    return (d * c - e * b) / determinant, (a * e - b * d) / determinant


def cost(processes, size, alpha, beta):
    """The predicted seconds for summing `size` bytes among the processes."""
    return 2 * math.log2(processes) * alpha + 2 * (processes - 1) / processes * size * beta


def predicted_step(row, processes, network):
    """The predicted seconds of a step. The processes share one host and divide the batch; each does the whole update."""
    return (row["one"] - row["update"]) / processes + row["update"] + cost(processes, 4 * row["parameters"], *network)


def waiting(row, processes, network, bytes_each=4, overlap=True):
    """The predicted seconds that a process waits for sums after its backward pass."""
    if not overlap:
        return cost(processes, bytes_each * row["parameters"], *network)
    end = -math.inf  # time at which a bucket's sum ends; the backward pass ends at 0
    for bucket in row["buckets"]:
        end = max(end, -bucket["ready"]) + cost(processes, bucket["bytes"] * bytes_each / 4, *network)
    return max(end, 0)


def efficiency(row, processes, network, bytes_each=4, overlap=True):
    """The fraction of a step's time in which a process does not wait. Each process computes a batch of the size measured
    with one process."""
    return row["apart"] / (row["apart"] + waiting(row, processes, network, bytes_each, overlap))


def measure(program, configs, rounds):
    rows = [steps(program, config, rounds) for config in configs]
    sums = run(program, 2, "--sums")["sums"]
    alpha, beta = fitted(sums)
    return {"rows": rows, "sums": sums, "alpha": alpha, "beta": beta}


def milliseconds(row, key):
    return f"{1e3 * row[key]:.1f}" if key in row else "-"


def percent(fraction):
    return f"{100 * fraction:.0f} %"


def text(report):
    kinds = ("plain", "one", "two", "bf16", "two_sum", "two_wait", "one_of_4", "four")
    heads = ("no mpirun", "1 process", "2", "2, bf16", "adding up", "waiting", "1, 4 shards", f"4 on {CORES} cores")
    rows = [[row["config"], f"{row['parameters'] / 1e6:.2f}", *(milliseconds(row, kind) for kind in kinds), f"{row['one'] / row['two']:.2f}"]
            for row in report["rows"]]
    parts = [measured.table(["config", "parameters, M", *(f"{head}, ms" for head in heads), "1 / 2"], rows),
             f"between 2 processes here: {1e6 * report['alpha']:.2g} us per message, {1e-9 / report['beta']:.2g} GB/s"]
    predicted = [[row["config"], name, "yes" if overlap else "no", *(percent(efficiency(row, P, network, overlap=overlap)) for P in JOBS)]
                 for row in report["rows"] for name, network in NETWORKS.items() for overlap in (False, True)]
    parts.append(measured.table(["config", "network", "overlap", *(f"{P} processes" for P in JOBS)], predicted))
    return "\n\n".join(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, help="bench_machines; ./run bench machines gives it")
    parser.add_argument("--config", action="append", choices=CONFIGS, help="only this size; may be repeated")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--link", action="store_true", help="two hosts over a slow link; needs root and iproute2")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.program is None:
        parser.error("--program is missing")
    program = options.program.resolve()
    report = {"rows": slow_link.measure(program)} if options.link else measure(program, options.config or CONFIGS, options.rounds)
    print(json.dumps(report) if options.json else slow_link.text(report["rows"]) if options.link else text(report))


if __name__ == "__main__":
    main()
