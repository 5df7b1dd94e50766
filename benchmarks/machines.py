#!/usr/bin/env python3
"""Measures training in 1 and 2 processes of one thread each, and predicts larger jobs.

Every round measures 1 process and 2 processes in turn, so that other load on the machine affects both. The fastest round counts.
Both split each batch into 2 shards, so they compute the same weights, bit for bit.

The prediction is the alpha-beta model: a message of n bytes takes alpha + beta n. Adding up G bytes of gradients among P processes by
recursive halving and doubling takes c = 2 alpha log2 P + 2 beta G (P - 1) / P. Each process computes a batch as large as that of one process here.
"""

import argparse
import json
import math
import os
import pathlib
import subprocess
import sys

import measured

CONFIGS = ("small", "medium", "paper")
ONE_ONLY = ("paper",)  # too slow to measure in more than one process; predicted
ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
               "OMPI_MCA_hwloc_base_binding_policy": "none"}
# Seconds per message and per byte of networks that are not measured here.
NETWORKS = {"1 Gbit/s": (50e-6, 8e-9), "10 Gbit/s": (20e-6, 0.8e-9), "100 Gbit/s": (3e-6, 0.08e-9)}
JOBS = (8, 64, 1024)


def run(program, processes, *options):
    command = ["mpirun", "-n", str(processes), str(program), *map(str, options)]
    done = subprocess.run(command, env={**measured.neutral_environment(), **ENVIRONMENT}, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr.strip()}")
    return json.loads(done.stdout.splitlines()[-1])


def steps(program, config, rounds):
    """The steps of the fastest round: with 1 process, with 2, and with 2 and gradients in bf16."""
    best = {}
    for _ in range(1 if config in ONE_ONLY else rounds):
        for kind in ((1, ), ) if config in ONE_ONLY else ((1, ), (2, ), (2, "--bf16-gradients")):
            now = run(program, kind[0], "--config", config, "--shards", 2, *kind[1:], *(["--cycles", 1] if config in ONE_ONLY else []))
            best[kind] = min(best.get(kind, now), now, key=lambda report: report["step"])
    one = best[1, ]
    row = {"config": config, "parameters": one["parameters"], "one": one["step"], "update": one["update"]}
    if config not in ONE_ONLY:
        two, bf16 = best[2, ], best[2, "--bf16-gradients"]
        row |= {"two": two["step"], "sum": two["sum"], "bf16": bf16["step"], "bf16_sum": bf16["sum"]}
    return row


def fitted(sums):
    """Fits (alpha, beta) to the times of adding up n bytes in 2 processes, 2 alpha + beta n, by least squares of relative
    errors."""
    rows = [(row["bytes"], row["seconds"]) for row in sums]
    a, b, c = (sum(f(n, t) for n, t in rows) for f in (lambda n, t: 4 / t**2, lambda n, t: 2 * n / t**2, lambda n, t: n * n / t**2))
    d, e = sum(2 / t for _, t in rows), sum(n / t for n, t in rows)
    determinant = a * c - b * b
    return (d * c - e * b) / determinant, (a * e - b * d) / determinant


def cost(processes, size, alpha, beta):
    """The seconds that adding up `size` bytes takes."""
    return 2 * math.log2(processes) * alpha + 2 * (processes - 1) / processes * size * beta


def predicted_step(row, processes, network):
    """The seconds of a step whose batch is divided among processes. Every process does the whole update."""
    return (row["one"] - row["update"]) / processes + row["update"] + cost(processes, 4 * row["parameters"], *network)


def efficiency(step, parameters, processes, network, bytes_each=4):
    """The fraction of a step that is not spent on adding up gradients."""
    return step / (step + cost(processes, parameters * bytes_each, *network))


def measure(program, configs, rounds):
    rows = [steps(program, config, rounds) for config in configs]
    sums = run(program, 2, "--sums")["sums"]
    alpha, beta = fitted(sums)
    return {"rows": rows, "sums": sums, "alpha": alpha, "beta": beta}


def text(report):
    rows = [[row["config"], f"{row['parameters'] / 1e6:.2f}", f"{1e3 * row['one']:.1f}", f"{1e3 * row['two']:.1f}",
             f"{row['one'] / row['two']:.2f}", f"{1e3 * row['sum']:.1f}", f"{1e3 * row['bf16']:.1f}"] for row in report["rows"] if "two" in row]
    parts = [measured.table(["config", "parameters, M", "1 process, ms", "2 processes, ms", "ratio", "adding up and waiting, ms", "bf16, ms"], rows),
             f"between 2 processes here: {1e6 * report['alpha']:.2g} us per message, {1e-9 / report['beta']:.2g} GB/s"]
    predicted = [[row["config"], name, *(f"{100 * efficiency(row['one'], row['parameters'], P, network):.0f} %" for P in JOBS)]
                 for row in report["rows"] for name, network in NETWORKS.items()]
    parts.append(measured.table(["config", "network", *(f"{P} processes" for P in JOBS)], predicted))
    return "\n\n".join(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, help="bench_machines; ./run bench machines gives it")
    parser.add_argument("--config", action="append", choices=CONFIGS, help="only this size; may be repeated")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.program is None:
        parser.error("--program is missing")
    report = measure(options.program.resolve(), options.config or CONFIGS, options.rounds)
    print(json.dumps(report) if options.json else text(report))


if __name__ == "__main__":
    main()
