#!/usr/bin/env python3
"""Numbers that the pages quote: measured, kept, and rendered from there.

docs/results.py measure [tutorials|speed]
                          runs each tutorial on three seeds, and the benchmarks, or only those, and writes
                          docs/results/*.json and docs/pictures/*.svg
docs/results.py render    writes the tables of the pages anew from docs/results
docs/results.py check     fails when a page differs from what `render` would write, or a result is below its bound

A page holds <!-- result NAME --> … <!-- end -->; what stands between is written by the function of that name below.
"""

import json
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "docs" / "results"
PICTURES = ROOT / "docs" / "pictures"
PAGES = [ROOT / "README.md", ROOT / "docs" / "speed.md", *sorted((ROOT / "docs" / "tutorials").glob("*.md"))]
SEEDS = [1, 2, 3]
TRAINED = range(3, 13)  # the lengths that the models are trained on


def load(number):
    return json.loads((RESULTS / f"tutorial_{number}.json").read_text())


def exact(run, model, length):
    row = run["models"][model]["by_length"][str(length)]
    return row["right"] / row["sources"]


def over_seeds(values, form="{:.3f}"):
    """The mean, and the lowest and highest where they differ as printed."""
    mean, low, high = (form.format(v) for v in (sum(values) / len(values), min(values), max(values)))
    return mean if low == high else f"{mean} ({low}–{high})"


def exact_match_table(number):
    results = load(number)
    models = list(results["runs"][0]["models"])
    lengths = list(results["runs"][0]["models"][models[0]]["by_length"])
    lines = ["| length | " + " | ".join(models) + " |", "|--:|" + "--:|" * len(models)]
    for length in lengths:
        cells = [over_seeds([exact(run, model, length) for run in results["runs"]]) for model in models]
        lines.append(f"| {length} | " + " | ".join(cells) + " |")
    return "\n".join([*lines, "", provenance(results)])


def provenance(results):
    seeds = ", ".join(str(seed) for seed in results["seeds"])
    return (f"`{results['command']}` for N = {seeds}: the mean, and in brackets the lowest and highest; "
            f"{results['machine']}; revision {results['revision']}.")


def alignment(run):
    rows = [row["alignment"] for length, row in run["models"]["Bahdanau"]["by_length"].items() if int(length) in TRAINED]
    return {key: sum(row[key] for row in rows) for key in ("steps", "right", "weight_sum")}


def seconds(results, model):
    return over_seeds([run["models"][model]["train_seconds"] for run in results["runs"]], "{:.0f}")


# What stands in the pages, by the name in its marker.

def tutorial_06_exact_match():
    return exact_match_table("06")


def tutorial_10_exact_match():
    return exact_match_table("10")


def tutorial_10_alignment():
    scores = [alignment(run) for run in load("10")["runs"]]
    right = over_seeds([100 * score["right"] / score["steps"] for score in scores], "{:.2f} %")
    weight = over_seeds([score["weight_sum"] / score["steps"] for score in scores])
    return (f"Over all held-out sources of lengths 3 to 12, the largest weight of step t is on source token "
            f"L − t + 1 in {right} of the steps; the mean weight there is {weight}.")


def tutorial_10_time():
    results = load("10")
    return (f"Training took {seconds(results, 'fixed context')} s for the fixed context and "
            f"{seconds(results, 'Bahdanau')} s for Bahdanau's model ({results['machine']}).")


def speed(name):
    return json.loads((RESULTS / f"speed_{name}.json").read_text())


def where_measured(results):
    return f"`{results['command']}`; {results['machine']}; revision {results['revision']}."


def markdown_table(header, rows):
    """The first column to the left, the others to the right."""
    lines = [header, ["---", *["--:"] * (len(header) - 1)], *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def ms(value):
    """Three digits."""
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def fastest(by_threads):
    return min(by_threads.values(), key=lambda report: report["ms_per_step"])


def allocated(report):
    """Known once the eight batches have been seen twice."""
    return report["buffers_allocated_after_warmup"] if report["warmup"] >= 16 else ""


def speed_table(mode, header, cells):
    results = speed("peers")
    rows = [cells(case, *(fastest(case[who]) for who in ("gradus", "libtorch_best", "libtorch_plain")))
            for case in results["cases"] if case["mode"] == mode]
    return markdown_table(header, rows) + "\n\n" + where_measured(results)


def compared(ours, theirs, plain):
    return [ms(ours["ms_per_step"]), ms(theirs["ms_per_step"]), ms(plain["ms_per_step"]),
            f"**{theirs['ms_per_step'] / ours['ms_per_step']:.1f}**"]


def speed_train():
    def cells(case, ours, theirs, plain):
        # Its best settings cost libtorch some memory: that is not held against it.
        memory = min(report["peak_rss_mb"] for who in ("libtorch_best", "libtorch_plain") for report in case[who].values())
        return [case["config"], *compared(ours, theirs, plain), f"{ours['percent_of_sgemm_peak']:.0f} %",
                f"{ours['peak_rss_mb']:.0f}", f"{memory:.0f}", allocated(ours)]
    return speed_table("train", ["", "gradus, ms", "libtorch, ms", "out of the box, ms", "ratio", "of the SGEMM peak",
                                 "gradus, MB", "libtorch, MB", "buffers allocated"], cells)


def speed_decode():
    def cells(case, ours, theirs, plain):
        return [f"{case['config']}, batch {case['batch']}", *compared(ours, theirs, plain),
                allocated(ours)]
    return speed_table("decode", ["", "gradus, ms", "libtorch, ms", "out of the box, ms", "ratio", "buffers allocated"],
                       cells)


def speed_threads():
    results = speed("peers")
    counts = sorted(results["cases"][0]["gradus"], key=int)
    rows = [[f"{case['config']}, {case['mode']}, batch {case['batch']}",
             *[ms(case[who][n]["ms_per_step"]) for who in ("gradus", "libtorch_best") for n in counts]]
            for case in results["cases"]]
    header = ["ms", *[f"{who}, {n} thread{'s' if n != '1' else ''}" for who in ("gradus", "libtorch") for n in counts]]
    return markdown_table(header, rows) + "\n\n" + where_measured(results)


def speed_scaling():
    results = speed("scaling")
    sweeps = [[sweep["name"], f"{sweep['exponent']:.2f}",
               ", ".join(f"{size:.0f}: {ms(time)}" for size, time in zip(sweep["sizes"], sweep["ms"]))]
              for sweep in results["sweeps"]]
    quiet, busy = ({row["threads"]: ms(row["ms"]) for row in results["threads"] if row["busy_neighbour"] is neighbour}
                   for neighbour in (False, True))
    return "\n\n".join([markdown_table(["cost, against", "exponent", "size: ms"], sweeps),
                        markdown_table(["threads", "ms", "ms with a busy neighbour"],
                                       [[n, quiet[n], busy[n]] for n in quiet]),
                        where_measured(results)])


def speed_ops():
    results = speed("ops")

    def cells(row):
        twins = [f"{row[way] / row['gradus_us']:.1f}" if row[way] else "" for way in ("composed_us", "loop_us")]
        return [row["operation"], ms(row["gradus_us"]), *twins, f"{row['percent_of_bound']:.0f} % of {row['bound']}"]
    rows = [cells(row) for row in results["rows"]]
    return (markdown_table(["operation", "gradus, µs", "composed takes × as long", "a loop takes × as long", "bound"], rows)
            + f"\n\nMemory {results['memory_gb_per_s']:.1f} GB/s, SGEMM {results['sgemm_gflops']:.0f} GFLOP/s. "
            + where_measured(results))


MARKED = re.compile(r"(<!-- result (\w+) -->\n)(?:.*?\n)??(<!-- end -->)", re.DOTALL)


def rendered(page):
    return MARKED.sub(lambda match: match[1] + globals()[match[2]]() + "\n" + match[3], page.read_text())


def machine():
    models = re.findall(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return f"{models[0] if models else platform.processor()}, {len(models)} cores"


def revision():
    git = ["git", "-C", str(ROOT)]
    if subprocess.run([*git, "status", "--porcelain"], capture_output=True, text=True, check=True).stdout:
        sys.exit("results.py: commit first, so that the results can name their revision")
    return subprocess.run([*git, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()


def write(name, command, at, results):
    results = {"command": command, "machine": machine(), "revision": at, **results}
    (RESULTS / f"{name}.json").write_text(json.dumps(results, indent=1) + "\n")


def measure_tutorials(at):
    for number in ("06", "10"):
        runs = []
        for seed in SEEDS:
            with tempfile.TemporaryDirectory() as out:
                subprocess.run([ROOT / "run", "tutorial", number, "--seed", str(seed), "--out", out], check=True)
                runs.append(json.loads(pathlib.Path(out, "results.json").read_text()))
                if seed == SEEDS[0]:
                    for picture in pathlib.Path(out).glob("*.svg"):
                        shutil.copy(picture, PICTURES / f"tutorial_{number}_{picture.name}")
        write(f"tutorial_{number}", f"./run tutorial {number} --seed N", at, {"seeds": SEEDS, "runs": runs})


def measure_speed(at):
    with tempfile.TemporaryDirectory() as out:
        for name, options in (("scaling", ["--out", out]), ("ops", []), ("peers", [])):
            done = subprocess.run([ROOT / "run", "bench", name, "--json", *options], stdout=subprocess.PIPE, text=True,
                                  check=True)
            # The last line: before it the script may say what it builds.
            write(f"speed_{name}", f"./run bench {name}", at, json.loads(done.stdout.splitlines()[-1]))
        shutil.copy(pathlib.Path(out, "scaling.svg"), PICTURES / "speed_scaling.svg")


MEASURED = {"tutorials": measure_tutorials, "speed": measure_speed}


def measure(only=None):
    if only not in (None, *MEASURED):
        sys.exit(__doc__)
    for folder in (RESULTS, PICTURES):
        folder.mkdir(exist_ok=True)
    at = revision()
    for name in [only] if only else MEASURED:
        MEASURED[name](at)


def render():
    for page in PAGES:
        page.write_text(rendered(page))


def check_bounds():
    """What the project promises of its main run, on every seed."""
    for run in load("10")["runs"]:
        for length in TRAINED:
            assert exact(run, "Bahdanau", length) >= 0.99, (run["seed"], length)
        scores = alignment(run)
        assert scores["right"] >= 0.98 * scores["steps"], (run["seed"], scores)
        assert exact(run, "Bahdanau", 12) - exact(run, "fixed context", 12) >= 0.6, run["seed"]


def check():
    check_bounds()
    stale = [str(page.relative_to(ROOT)) for page in PAGES if rendered(page) != page.read_text()]
    if stale:
        sys.exit(f"results.py: {', '.join(stale)} differ from docs/results; run docs/results.py render")


if __name__ == "__main__":
    commands = {"measure": measure, "render": render, "check": check}
    if len(sys.argv) < 2 or sys.argv[1] not in commands or len(sys.argv) > (3 if sys.argv[1] == "measure" else 2):
        sys.exit(__doc__)
    commands[sys.argv[1]](*sys.argv[2:])
