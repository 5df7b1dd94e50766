#!/usr/bin/env python3
"""Numbers that the pages quote: measured, kept, and rendered from there.

docs/results.py measure   runs each tutorial on three seeds and writes docs/results/*.json and docs/pictures/*.svg
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
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs" / "tutorials").glob("*.md"))]
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


MARKED = re.compile(r"(<!-- result (\w+) -->\n)(?:.*?\n)??(<!-- end -->)", re.DOTALL)


def rendered(page):
    return MARKED.sub(lambda match: match[1] + globals()[match[2]]() + "\n" + match[3], page.read_text())


def machine():
    models = re.findall(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return f"{models[0] if models else platform.processor()}, {len(models)} cores"


def measure():
    git = ["git", "-C", str(ROOT)]
    if subprocess.run([*git, "status", "--porcelain"], capture_output=True, text=True, check=True).stdout:
        sys.exit("results.py: commit first, so that the results can name their revision")
    for folder in (RESULTS, PICTURES):
        folder.mkdir(exist_ok=True)
    revision = subprocess.run([*git, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True)
    for number in ("06", "10"):
        runs = []
        for seed in SEEDS:
            with tempfile.TemporaryDirectory() as out:
                subprocess.run([ROOT / "run", "tutorial", number, "--seed", str(seed), "--out", out], check=True)
                runs.append(json.loads(pathlib.Path(out, "results.json").read_text()))
                if seed == SEEDS[0]:
                    for picture in pathlib.Path(out).glob("*.svg"):
                        shutil.copy(picture, PICTURES / f"tutorial_{number}_{picture.name}")
        results = {"command": f"./run tutorial {number} --seed N", "seeds": SEEDS, "machine": machine(),
                   "revision": revision.stdout.strip(), "runs": runs}
        (RESULTS / f"tutorial_{number}.json").write_text(json.dumps(results, indent=1) + "\n")


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
    if len(sys.argv) != 2 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    commands[sys.argv[1]]()
