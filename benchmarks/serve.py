#!/usr/bin/env python3
"""Measures gradus serve with one client, and with many clients that send requests at the same time. Also measures gradus
translate on a file of the same lines.

The clients run on the same machine and use part of its CPU time; `client_cpu` is this part. Each number is the median of the rounds. Every
answer is compared with the translation of the same line by gradus translate.
"""

import argparse
import json
import os
import pathlib
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile

import measured

ROOT = pathlib.Path(__file__).resolve().parent.parent
# The sizes of configs/eng-fra.toml.
SIZES = ["--embedding", "128", "--hidden", "256", "--energy", "128", "--readout", "maxout", "--maxout", "128"]
LINES = 6000


def sample_of(file, distinct):
    """LINES lines, drawn with repetition from the file's lines of 6 to 14 words. If the file is a table, its first column is
    used. If `distinct` is not 0, the result has at most this many different lines."""
    cells = [line.split("\t")[0] for line in file.read_text().splitlines()]
    cells = sorted({cell for cell in cells if 6 <= len(cell.split()) <= 14})
    draw = random.Random(1)
    return draw.choices(draw.sample(cells, min(distinct, len(cells))) if distinct else cells, k=LINES)


class Server:
    def __init__(self, gradus, model, threads, cache):
        self.process = subprocess.Popen([gradus, "serve", "--model", f"model={model}", "--port", "0", "--threads", str(threads),
                                         "--cache", str(cache)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=measured.neutral_environment())
        line = self.process.stderr.readline()
        if "listening" not in line:
            sys.exit(f"gradus serve failed:\n{line}{self.process.stderr.read()}")
        self.port = int(line.rsplit(":", 1)[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


def ask(program, server, file, clients, requests):
    done = subprocess.run([program, "--port", str(server.port), "--file", file, "--clients", str(clients), "--requests", str(requests)],
                          capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"bench_serve failed:\n{done.stderr.strip()}")
    return json.loads(done.stdout)


def translate(gradus, model, file, threads):
    """The translations, and the lines per second. Loading the model is not counted."""
    done = subprocess.run([gradus, "translate", "--model", model, "--input", file, "--threads", str(threads)], capture_output=True, text=True,
                          check=True, env=measured.neutral_environment())
    return done.stdout.splitlines(), float(re.search(r": ([\d.]+) sentences/s", done.stderr)[1])


def measure(options, model, folder):
    file = pathlib.Path(folder, "lines.txt")
    file.write_text("\n".join(sample_of(options.file, options.distinct)) + "\n")
    threads = options.threads or measured.threads_of_machine()
    rounds = []
    with Server(options.gradus, model, threads, options.cache) as server:
        ask(options.program, server, file, options.clients, LINES // 4)
        for _ in range(options.rounds):
            one, many = ask(options.program, server, file, 1, LINES // 12), ask(options.program, server, file, options.clients, LINES)
            texts, rate = translate(options.gradus, model, file, threads)
            for report in (one, many):
                if report.pop("texts") != texts[:report["requests"]]:
                    sys.exit("an answer of the server differs from the file translation")
            rounds.append({"one": one, "many": many, "file": {"rate": rate}})
    median = {part: {key: statistics.median(turn[part][key] for turn in rounds) for key in rounds[0][part]} for part in rounds[0]}
    return {"clients": options.clients, "threads": threads, "rounds": options.rounds, **median}


def text(report):
    one, many, file = report["one"], report["many"], report["file"]
    rows = [[name, f"{part['rate']:.0f}", f"{part['rate'] / one['rate']:.1f}", *(f"{1e3 * part[key]:.1f}" if key in part else "" for key in ("p50", "p99"))]
            for name, part in (("1 client", one), (f"{report['clients']} clients", many), ("file", file))]
    return (measured.table(["", "lines/s", "ratio", "p50, ms", "p99, ms"], rows)
            + f"\n\n{report['clients']} clients: {100 * many['rate'] / file['rate']:.0f} % of the file's rate; p99 {many['p99'] / one['p50']:.1f} times the p50 "
            f"of 1 client; the clients' part of the cores is {100 * many['client_cpu']:.0f} %")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, help="bench_serve; ./run bench serve gives it, and --gradus")
    parser.add_argument("--gradus", type=pathlib.Path)
    parser.add_argument("--model", help="a run of gradus train from English; without it, a model of the sizes of configs/eng-fra.toml is trained")
    parser.add_argument("--file", type=pathlib.Path, default=ROOT / "data/phrases/eng-fra.tsv", help="lines to translate [built-in phrases]")
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--threads", type=int, default=0, help="of the server and of gradus translate [one per core, at most 16]")
    parser.add_argument("--distinct", type=int, default=0, help="different lines at most [0: no limit]")
    parser.add_argument("--cache", type=int, default=0, help="the server's option")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.program is None or options.gradus is None:
        parser.error("--program and --gradus are missing")
    with tempfile.TemporaryDirectory() as folder:
        model = options.model or os.path.join(folder, "run")
        if options.model is None:
            subprocess.run([options.gradus, "train", "--phrases", "eng-fra", "--epochs", "2", *SIZES, "--out", model], check=True, capture_output=True)
        report = measure(options, model, folder)
    print(json.dumps(report) if options.json else text(report))


if __name__ == "__main__":
    main()
