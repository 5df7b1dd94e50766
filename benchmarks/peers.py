#!/usr/bin/env python3
"""Runs bench_bahdanau and its peer in libtorch in turn, and prints a comparison.

A contender is one library with one setting and thread count. Every contender runs the same steps in short processes, except
that libtorch with its default settings runs fewer steps. Each round runs the contenders in turn, so that other load on the
machine affects all of them. The comparison uses the fastest round of each contender, and the best thread count of each library.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
from dataclasses import dataclass

import measured


@dataclass(frozen=True)
class Case:
    config: str
    mode: str
    batch: int
    steps: int
    warmup: int
    rounds: int
    dropout: bool = False  # if True, each program draws its own masks

    def __str__(self):
        return f"{self.config} {self.mode} {self.batch}"


# The warm-up is two cycles of the eight batches; then memory use is stable. `paper` and `paper-exact` are too
# slow for this: their warm-up is one step.
CASES = [
    Case("tiny", "train", 64, 160, 16, 5),
    Case("d2l", "train", 64, 160, 16, 5),
    Case("small", "train", 64, 32, 16, 4),
    Case("medium", "train", 128, 6, 16, 3),
    Case("paper", "train", 80, 1, 1, 2),
    Case("d2l-exact", "train", 64, 160, 16, 5, dropout=True),
    Case("paper-exact", "train", 80, 1, 1, 2),
    Case("tiny", "decode", 1, 800, 16, 5),
    Case("small", "decode", 1, 200, 16, 5),
    Case("medium", "decode", 1, 24, 16, 3),
    Case("tiny", "decode", 64, 160, 16, 5),
    Case("small", "decode", 64, 40, 16, 4),
    Case("medium", "decode", 64, 8, 16, 3),
]


SLOW = ("medium", "paper", "paper-exact")

# Relative tolerance when losses are compared.
TOLERANCE = {"f32": 1e-3, "bf16": 1e-2}


def best_settings():
    """The environment in which libtorch is fastest. OpenBLAS runs on OpenMP, so it shares libtorch's threads. Threads spin only
    briefly, in case another program needs the core. Kernels are chosen for this processor, because OpenBLAS 0.3.21 does not
    detect newer ones. Freed memory is kept, so that large tensors cause no page faults at every step."""
    files = subprocess.run(["dpkg", "-L", "libopenblas0-openmp"], capture_output=True, text=True).stdout.split()
    folders = [pathlib.Path(file).parent for file in files if file.endswith("/libopenblas.so.0")]
    if not folders:
        sys.exit("peers.py: the package libopenblas0-openmp is missing; ./run bench peers installs it")
    flags = set(re.search(r"^flags\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)[1].split())
    settings = {"LD_LIBRARY_PATH": str(folders[0]), "GOMP_SPINCOUNT": "1000",
                "MALLOC_MMAP_THRESHOLD_": str(2**32), "MALLOC_TRIM_THRESHOLD_": str(2**34)}
    if {"avx512f", "avx512bw", "avx512dq", "avx512vl"} <= flags:
        settings["OPENBLAS_CORETYPE"] = "SkylakeX"
    elif {"avx2", "fma"} <= flags:
        settings["OPENBLAS_CORETYPE"] = "Haswell"
    return settings


def contenders(ours, theirs, threads):
    """Maps each contender (program, settings, threads) to (executable, environment). libtorch's default settings, "plain", have
    only one thread count, because libtorch uses all cores by default."""
    best = best_settings()
    several = sorted({1, threads})
    return {**{("gradus", "", n): (ours, {}) for n in several},
            **{("libtorch", "best", n): (theirs, {**best, "OMP_NUM_THREADS": str(n)}) for n in several},
            ("libtorch", "plain", threads): (theirs, {})}


def steps_of(case, settings):
    """The numbers of timed and warm-up steps. With libtorch's default settings, steps are much slower, so fewer steps run."""
    return (case.steps, case.warmup) if settings != "plain" else (max(1, case.steps // 8), min(case.warmup, 2))


def compare(case, everyone, precision, progress):
    """Maps each contender to the report of its fastest round."""
    if case.dropout:
        progress(f"{case}: losses without dropout")
        check_agreement(case, precision, without_dropout(case, everyone, precision))
    fastest = {}
    for round_number in range(case.rounds):
        for who, (program, environment) in everyone.items():
            if round_number > 0 and has_one_round(case, *who[1:]):
                continue
            progress(f"{case}: round {round_number + 1} of {case.rounds}, {' '.join(map(str, filter(None, who)))}")
            steps, warmup = steps_of(case, who[1])
            report = measured.run(program, environment, config=case.config, mode=case.mode, batch=case.batch,
                                  steps=steps, warmup=warmup, threads=who[2], precision=precision)
            if who not in fastest or report["ms_per_step"] < fastest[who]["ms_per_step"]:
                fastest[who] = report
    if not case.dropout:
        check_agreement(case, precision, fastest)
    return fastest


def has_one_round(case, settings, threads):
    """True for slow contenders that cannot win. One round of them is enough."""
    return settings == "plain" or (threads == 1 and case.mode == "train" and case.config in SLOW)


def without_dropout(case, everyone, precision):
    """Maps each contender to a report of one step on each batch, without dropout."""
    return {who: measured.run(program, environment, config=case.config, mode=case.mode, batch=case.batch, steps=8,
                              warmup=0, threads=who[2], precision=precision, no_dropout=True)
            for who, (program, environment) in everyone.items()}


def check_agreement(case, precision, fastest):
    """Checks that all contenders compute the same model. First and last losses must agree up to rounding. If
    decoded tokens differ, only prints a warning, because near ties can cause this."""
    if case.mode == "decode":
        if len({report["tokens_checksum"] for report in fastest.values()}) > 1:
            print(f"{case}: some tokens differ; near ties can cause this", file=sys.stderr)
        return
    reports = list(fastest.values())
    most = max(report["steps"] for report in reports)
    as_long = [report for report in reports if report["steps"] == most]
    for key, compared in (("loss_first", reports), ("loss_final", as_long)):
        losses = [report[key] for report in compared]
        if not max(losses) - min(losses) <= TOLERANCE[precision] * min(losses):
            sys.exit(f"peers.py: {case}: {key} differs: {losses}; the models are not the same")


def best(fastest, who, settings=None):
    """The report with the fastest thread count."""
    reports = [report for key, report in fastest.items() if key[0] == who and settings in (None, key[1])]
    return min(reports, key=lambda report: report["ms_per_step"])


def least_memory(fastest, who):
    """The lowest peak memory over all settings. libtorch's fastest settings need more memory than its other settings."""
    return min(report["peak_rss_mb"] for key, report in fastest.items() if key[0] == who)


def as_json(case, precision, fastest):
    """The measurements of one case: for each library and setting, a report per thread count."""
    kinds = {"gradus": ("gradus", ""), "libtorch_best": ("libtorch", "best"), "libtorch_plain": ("libtorch", "plain")}
    return {"config": case.config, "mode": case.mode, "batch": case.batch, "precision": precision, "rounds": case.rounds,
            **{name: {str(key[2]): report for key, report in fastest.items() if key[:2] == kind}
               for name, kind in kinds.items()}}


HEADER = ["config", "mode", "batch", "ours ms", "threads", "libtorch ms", "threads", "out of the box", "ratio",
          "ours MB", "libtorch MB", "% of peak"]


def row(case, fastest):
    ours, theirs, plain = best(fastest, "gradus"), best(fastest, "libtorch", "best"), best(fastest, "libtorch", "plain")
    return [case.config, case.mode, case.batch, f"{ours['ms_per_step']:.3g}", ours["threads"],
            f"{theirs['ms_per_step']:.3g}", theirs["threads"], f"{plain['ms_per_step']:.3g}",
            f"{theirs['ms_per_step'] / ours['ms_per_step']:.2f}", f"{ours['peak_rss_mb']:.0f}",
            f"{least_memory(fastest, 'libtorch'):.0f}", f"{ours['percent_of_sgemm_peak']:.0f}"]


def arguments():
    parser = argparse.ArgumentParser(prog="./run bench peers", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    configs = list(dict.fromkeys(case.config for case in CASES))
    parser.add_argument("--ours", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--theirs", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--config", action="append", choices=configs, help="only these sizes; may be repeated")
    parser.add_argument("--mode", choices=["train", "decode"], help="only this mode")
    parser.add_argument("--batch", type=int, help="only the cases of this batch size")
    parser.add_argument("--precision", choices=TOLERANCE, default="f32",
                        help="precision of the inputs of matrix products; in libtorch, bf16 is autocast (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=measured.threads_of_machine(),
                        help="measured with 1 and with this many threads (default: %(default)s)")
    parser.add_argument("--rounds", type=int, help="rounds per case; default: each case's own number")
    parser.add_argument("--json", action="store_true", help="print one JSON object on one line instead of a table")
    chosen = parser.parse_args()
    for name in ("threads", "rounds", "batch"):
        value = getattr(chosen, name)
        if value is not None and value < 1:
            parser.error(f"--{name} must be at least 1, got {value}")
    chosen.cases = [case for case in CASES if (not chosen.config or case.config in chosen.config)
                    and chosen.mode in (None, case.mode) and chosen.batch in (None, case.batch)]
    if not chosen.cases:
        parser.error("no case matches; available: " + ", ".join(map(str, CASES)))
    if chosen.rounds:
        chosen.cases = [Case(**{**vars(case), "rounds": chosen.rounds}) for case in chosen.cases]
    return chosen


def main():
    chosen = arguments()
    everyone = contenders(chosen.ours, chosen.theirs, chosen.threads)
    results, rows = [], []
    for case in chosen.cases:
        fastest = compare(case, everyone, chosen.precision, lambda text: print(text, file=sys.stderr, flush=True))
        results.append(as_json(case, chosen.precision, fastest))
        rows.append(row(case, fastest))
    if chosen.json:
        print(json.dumps({"settings": best_settings(), "cases": results}))
    else:
        print(measured.table(HEADER, rows))


if __name__ == "__main__":
    main()
