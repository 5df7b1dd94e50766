"""The tables of speed.md, made from the output of the benchmarks."""

import json
import subprocess
import sys
import tempfile

from results_kit import ROOT, load, markdown_table, where_measured, write


def ms(value):
    """A time in ms with three significant digits; from 1000 on, as a whole number."""
    return f"{value:.3g}" if value < 999.5 else f"{value:.0f}"


def fastest(by_threads):
    return min(by_threads.values(), key=lambda report: report["ms_per_step"])


def fastest_peer(*cases):
    """libtorch's shortest time in ms over these cases, with any of its settings and numbers of threads."""
    return min(fastest(case[who])["ms_per_step"] for case in cases for who in ("libtorch_best", "libtorch_plain"))


def blocks(report):
    """The number of allocations. Empty if the warm-up was shorter than two passes over the eight batches: the number is then
    unreliable."""
    return report["buffers_allocated_after_warmup"] if report["warmup"] >= 16 else ""


def speed_table(mode, header, cells):
    results = load("speed_peers")
    rows = [cells(case, *(fastest(case[who]) for who in ("gradus", "libtorch_best", "libtorch_plain")))
            for case in results["cases"] if case["mode"] == mode]
    return markdown_table(header, rows) + "\n\n" + where_measured(results)


def compared(case, ours, theirs, plain):
    return [*(ms(report["ms_per_step"]) for report in (ours, theirs, plain)), f"**{fastest_peer(case) / ours['ms_per_step']:.1f}**"]


def speed_train():
    def cells(case, ours, theirs, plain):
        # libtorch's fastest settings cost some memory. Therefore compare with its lowest memory under any settings.
        memory = min(report["peak_rss_mb"] for who in ("libtorch_best", "libtorch_plain") for report in case[who].values())
        return [case["config"], *compared(case, ours, theirs, plain), f"{ours['percent_of_sgemm_peak']:.0f} %",
                f"{ours['peak_rss_mb']:.0f}", f"{memory:.0f}", blocks(ours)]
    return speed_table("train", ["", "gradus, ms", "libtorch, ms", "out of the box, ms", "ratio", "of the SGEMM peak",
                                 "gradus, MB", "libtorch, MB", "allocations"], cells)


def speed_decode():
    def cells(case, ours, theirs, plain):
        return [f"{case['config']}, batch {case['batch']}", *compared(case, ours, theirs, plain),
                ours["buffers_allocated_after_first"]]
    return speed_table("decode", ["", "gradus, ms", "libtorch, ms", "out of the box, ms", "ratio", "later allocations"],
                       cells)


def speed_threads():
    results = load("speed_peers")
    counts = sorted(results["cases"][0]["gradus"], key=int)
    rows = [[f"{case['config']}, {case['mode']}, batch {case['batch']}",
             *[ms(case[who][n]["ms_per_step"]) for who in ("gradus", "libtorch_best") for n in counts]]
            for case in results["cases"]]
    header = ["ms", *[f"{who}, {n} thread{'s' if n != '1' else ''}" for who in ("gradus", "libtorch") for n in counts]]
    return markdown_table(header, rows) + "\n\n" + where_measured(results)


def speed_bf16():
    """Compares bf16 with f32. The times in f32 are those of the same cases in speed_peers. The last ratio is libtorch's time in
    its faster precision, divided by gradus's time in bf16."""
    results, single = load("speed_peers_bf16"), load("speed_peers")
    f32 = {(case["config"], case["mode"], case["batch"]): case for case in single["cases"]}

    def cells(case):
        before = f32[case["config"], case["mode"], case["batch"]]
        single, ours = (fastest(each["gradus"])["ms_per_step"] for each in (before, case))
        return [f"{case['config']}, {case['mode']}, batch {case['batch']}", ms(single), ms(ours), f"**{single / ours:.2f}**",
                ms(fastest_peer(before)), ms(fastest_peer(case)), f"**{fastest_peer(before, case) / ours:.1f}**"]
    header = ["ms", "gradus, f32", "gradus, bf16", "f32 ÷ bf16", "libtorch, f32", "libtorch, bf16", "ratio to libtorch"]
    return markdown_table(header, [cells(case) for case in results["cases"]]) + "\n\n" + where_measured(results)


def speed_options():
    results = load("speed_options")
    rows = [[f"`{row['options']}`" if row["options"] else "none", f"{row['target_tokens_per_s'] / 1000:.0f}",
             f"**{row['ratio']:.2f}**"] for row in results["rows"]]
    return (markdown_table(["options", "thousand target tokens per second", "relative speed"], rows)
            + f"\n\nAll rows have `{results['sizes']}`. " + where_measured(results))


def speed_scaling():
    results = load("speed_scaling")
    sweeps = [[sweep["name"], f"{sweep['exponent']:.2f}",
               ", ".join(f"{size:.0f}: {ms(time)}" for size, time in zip(sweep["sizes"], sweep["ms"]))]
              for sweep in results["sweeps"]]
    quiet, busy = ({row["threads"]: ms(row["ms"]) for row in results["threads"] if row["busy_neighbour"] is neighbour}
                   for neighbour in (False, True))
    return "\n\n".join([markdown_table(["cost against", "exponent", "size: ms"], sweeps),
                        markdown_table(["threads", "ms", "ms with a busy neighbour"],
                                       [[n, quiet[n], busy[n]] for n in quiet]),
                        where_measured(results)])


def speed_ops():
    results = load("speed_ops")

    def cells(row):
        twins = [f"{row[way] / row['gradus_us']:.1f}" if row[way] else "" for way in ("composed_us", "loop_us")]
        return [row["operation"], ms(row["gradus_us"]), *twins, f"{row['percent_of_bound']:.0f} % of {row['bound']}"]
    rows = [cells(row) for row in results["rows"]]
    return (markdown_table(["operation", "gradus, µs", "composed ÷ gradus", "plain loop ÷ gradus", "of the bound"], rows)
            + f"\n\nThe bounds are {results['memory_gb_per_s']:.1f} GB/s for memory and {results['sgemm_gflops']:.0f} GFLOP/s for SGEMM. "
            + where_measured(results))


# name of the results → the benchmark and its options
BENCHMARKS = {
    "scaling": ["scaling"],
    "ops": ["ops"],
    "options": ["options"],
    "peers": ["peers"],
    "peers_bf16": ["peers", "--precision", "bf16", "--config", "small", "--config", "medium", "--config", "paper"],
}


def measure(at, only=None):
    if only not in (None, *BENCHMARKS):
        sys.exit(f"results.py: no benchmark '{only}'; available: {', '.join(BENCHMARKS)}")
    for name in [only] if only else BENCHMARKS:
        benchmark = BENCHMARKS[name]
        with tempfile.TemporaryDirectory() as out:  # `scaling` also draws a picture, which no page shows
            more = ["--out", out] if name == "scaling" else []
            done = subprocess.run([ROOT / "run", "bench", *benchmark, "--json", *more], stdout=subprocess.PIPE, text=True,
                                  check=True)
        # The JSON is on the last line, because ./run may print build messages before it.
        write(f"speed_{name}", " ".join(["./run bench", *benchmark]), at, json.loads(done.stdout.splitlines()[-1]))
