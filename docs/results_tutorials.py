"""The numbers of the tutorials: exact match by length, alignments, times."""

import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import time

import results_printed
from results_kit import (PICTURES, RESULTS, ROOT, SEEDS, folded, load, machine, markdown_table, mean, named, numbers,
                         over_seeds, seeds_of, where_measured, write)

TRAINED = range(3, 13)  # the training lengths
# Pictures of one seed that no page shows. Pages show pictures diagram_* of all seeds instead.
UNSHOWN = {"tutorial_04_accuracy.svg", "tutorial_04_gradient_norm.svg", "tutorial_05_gradient_norm.svg", "tutorial_07_exact_match.svg", "tutorial_14_sparsity.svg",
           "tutorial_15_speed.svg"}


def values(run, name, row):
    """A row of a table of the run, as a map from columns to values."""
    kept = run["tables"][name]
    found = next(kept_row["values"] for kept_row in kept["rows"] if kept_row["name"] == str(row))
    return dict(zip(kept["columns"], found))


def alignment(run):
    """Two numbers: the fraction of steps whose largest weight is at the true position, and the mean weight there."""
    return list(values(run, "alignment", "Bahdanau").values())


def table(number, name, shown=lambda row: True, form_of=lambda column, values: None, of=lambda tables, name: tables[name]):
    """A table from the tutorial's results.json, with means over the seeds. Keeps the rows for whose name `shown` returns true.
    `form_of` may choose the format of a cell, and `of` may change the table of a run. A second table, hidden at first, has all
    rows, the ranges and the machine. If all numbers are the same for every seed, they are calculated, not measured, and there is
    no second table."""
    results = load(f"tutorial_{number}")
    tables = [of(run["tables"], name) for run in results["runs"]]
    first, form = tables[0], f"{{:.{tables[0]['digits']}f}}"
    header = [first["rows_are"], *first["columns"]]

    def rows_of(text_of_cell):
        def cell(row, column):
            values = [kept["rows"][row]["values"][column] for kept in tables]
            return "–" if None in values else text_of_cell(values, form_of(first["columns"][column], values) or form)
        return [[row["name"], *(cell(i, j) for j in range(len(first["columns"])))] for i, row in enumerate(first["rows"])]

    ranges, means = rows_of(over_seeds), rows_of(mean)
    if ranges == means:
        return markdown_table(header, means)
    some = [row for row in means if shown(row[0])]
    kept = without_zeros(some)
    lines = [markdown_table(header, kept)]
    if dropped := some[len(kept):]:
        lines.append(f"{header[0]} {dropped[0][0]} to {dropped[-1][0]}: 0 in all columns.")
    more = "the lowest and highest values" if some == means else "all rows, with the lowest and highest values"
    lines.append(folded(f"Means of seeds {seeds_of(results)}. Open for {more}",
                        markdown_table(header, ranges) + "\n\n" + where_measured(results)))
    return "\n\n".join(lines)


def without_zeros(rows):
    """Shortens a table whose rows are lengths: of the rows of zeros at its end, keeps only the first."""
    end = len(rows)
    while end > 1 and all(name.isdigit() and set(cell) <= set("0.") for name, *cells in rows[end - 2:end] for cell in cells):
        end -= 1
    return rows[:end]


def text_of(marker):
    """The text for a marker tutorial_NN_name that has no function below."""
    number, name = re.fullmatch(r"tutorial_(\d\d)_(\w+)", marker).groups()
    return table(number, name)


# One function for each of the other markers <!-- result NAME -->.

def tutorial_04_models():
    """The mean accuracy over the models of all seeds, and the number of models in each range of accuracy."""
    results = load("tutorial_04")
    means, counts = ([run["tables"][name] for run in results["runs"]] for name in ("accuracy", "counts"))
    rows = []
    for i, row in enumerate(counts[0]["rows"]):
        sums = (sum(values) for values in zip(*(kept["rows"][i]["values"] for kept in counts)))
        rows.append([row["name"], mean([kept["rows"][i]["values"][0] for kept in means]), *map("{:.0f}".format, sums)])
    return (markdown_table(["delay", "mean accuracy", *counts[0]["columns"]], rows) + "\n\n"
            + where_measured(results, seeds_differ=False))


def with_times(tables, name):
    """The table of methods, with a column for the times. A model without an exact match has no time: its outputs have the wrong
    length. Students are named by their size."""
    methods, times = tables[name], tables["time"]
    exact = methods["columns"].index("exact match")
    rows = []
    for row, time in zip(methods["rows"], times["rows"], strict=True):
        assert row["name"] == time["name"]
        taken = time["values"] if row["values"][exact] > 0 else [None] * len(time["values"])
        rows.append({"name": named(row["name"], {"student": "student of 16 units"}), "values": [*row["values"], *taken]})
    return {**methods, "columns": [*methods["columns"], *times["columns"]], "rows": rows}


def tutorial_14_methods():
    """The table of methods and times, with fewer digits for kB and for large perplexities."""
    return table("14", "methods", of=with_times,
                 form_of=lambda column, values: "{:.1f}" if column == "kB" else "{:.0f}" if min(values) > 10 else None)


def tutorial_14_outliers():
    return table("14", "outliers", of=lambda tables, name: {**tables[name], "rows_are": "$c$"})


def tutorial_07_longer():
    """Exact match after four times as many updates."""
    return table("07_longer", "exact_match", shown=lambda row: row in ("6", "8", "9", "10", "11", "12"))


def gains_of_context(length):
    """The exact match of the new model minus that of the wider model of tutorial 06, after four times as many updates, for each
    seed."""
    found = (values(run, "exact_match", length) for run in load("tutorial_07_longer")["runs"])
    return [models["07, H = 64"] - models["06, H = 79"] for models in found]


def tutorial_07_longer_gains():
    rows = [[str(length), *(f"{gain:+.3f}".replace("-", "−") for gain in gains_of_context(length))] for length in TRAINED]
    return markdown_table(["length", *(f"seed {seed}" for seed in SEEDS)], rows)


def tutorial_10_alignment():
    rights, weights = zip(*map(alignment, load("tutorial_10")["runs"]))
    right, weight = over_seeds([100 * right for right in rights], "{:.2f} %"), over_seeds(weights)
    return (f"To reverse a source of length L, step t needs source token L − t + 1. Over at most 500 held-out sources of "
            f"each length from 3 to 12, this token has the largest weight in {right} of the steps. Its mean weight is {weight}.")


def tutorial_10_time():
    results = load("tutorial_10")
    fixed, cho, bahdanau = (
        over_seeds([values(run, "time", model)["seconds of training"] for run in results["runs"]], "{:.0f}")
        for model in ("fixed context", "Cho", "Bahdanau"))
    return (f"Training took {fixed} s for the fixed context, {cho} s for Cho's model and {bahdanau} s for Bahdanau's "
            f"({results['machine']}).")


def tutorial_staircase():
    """A row per tutorial: its page, its topic from the source's first line, the time to read the page, and the time of a run."""
    kept = load("tutorial_times")
    rows = []
    for source in sorted((ROOT / "tutorials").glob("[0-9][0-9]_*.cpp")):
        page = f"docs/tutorials/{source.stem.replace('_', '-')}.md"
        text = (ROOT / page).read_text()
        title, minutes = text.split("\n", 1)[0].split("· ", 1)[1], re.search(r"^> .*· about (\d+) minutes$", text, re.MULTILINE)[1]
        about = re.match(r"// Tutorial \d\d: (?:[^:\n]*: )?(.*)\.", source.read_text())[1]  # the text after the tutorial's name
        seconds = kept["seconds"].get(source.name[:2])
        run = "–" if seconds is None else "< 1 s" if seconds < 1 else f"{seconds:.0f} s"
        rows.append(f"| [{source.name[:2]} · {title}]({page}) | {about} | {minutes} min | {run} |")
    lines = ["| step | topic | to read | to run |", "|---|---|--:|--:|", *rows]
    measured_on = {}
    for number, name in kept["machines"].items():
        measured_on.setdefault(name, []).append(number)
    where = "; ".join(f"tutorials {' and '.join(numbers)}: {name}" for name, numbers in list(measured_on.items())[1:])
    main = next(iter(measured_on))
    return "\n".join([*lines, "", f"*To run* is the median time of three runs on an idle machine, without the build. {main}{f'; {where}' if where else ''}."])


def measure_longer(at):
    """Runs tutorial 07 with four times as many updates."""
    command, runs = ["tutorial", "07", "--steps", "4000", "--seed"], []
    for seed in SEEDS:
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([ROOT / "run", *command, str(seed)], cwd=folder, check=True, stdout=subprocess.DEVNULL)
            runs.append(json.loads(pathlib.Path(folder, "out", "tutorial-07", "results.json").read_text()))
    write("tutorial_07_longer", f"./run {' '.join(command)} N", at, {"seeds": SEEDS, "runs": runs})


def measure(at, only=None):
    for number in [only] if only else numbers():
        runs, seconds = [], []
        results_printed.build_tutorial(number)
        for seed in SEEDS:
            with tempfile.TemporaryDirectory() as folder:
                start = time.monotonic()
                done = subprocess.run([ROOT / "run", "tutorial", number, "--seed", str(seed)], cwd=folder, check=True,
                                      stdout=subprocess.PIPE, text=True)
                seconds.append(time.monotonic() - start)
                out = pathlib.Path(folder, "out", f"tutorial-{number}")
                results = out / "results.json"
                if results.exists():
                    runs.append(json.loads(results.read_text()))
                if seed == SEEDS[0]:
                    results_printed.record(number, done.stdout, at)
                    for picture in out.glob("*.svg"):
                        if (name := f"tutorial_{number}_{picture.name}") not in UNSHOWN:
                            shutil.copy(picture, PICTURES / name)
        if runs:
            write(f"tutorial_{number}", f"./run tutorial {number} --seed N", at, {"seeds": SEEDS, "runs": runs})
        keep_time(number, sorted(seconds)[1], at)
        if number == "07":
            measure_longer(at)


def keep_time(number, seconds, at):
    """Stores the median time over the seeds, and the machine, in tutorial_times.json. ./run tutorial reads the line with the time."""
    path = RESULTS / "tutorial_times.json"
    kept = json.loads(path.read_text()) if path.exists() else {"seconds": {}, "machines": {}}
    write("tutorial_times", "./run tutorial NN --seed N", at,
          {"seeds": SEEDS, "seconds": dict(sorted({**kept["seconds"], number: round(seconds, 1)}.items())),
           "machines": dict(sorted({**kept["machines"], number: machine()}.items()))})


def check_readme():
    """Checks the README's means of the exact match of the three seeds: of all models at length 12, and with attention at 13 and
    14."""
    assert "où est le livre rouge ?" in load("printed_command")["lines"]  # the READMEs quote this translation
    runs = load("tutorial_10")["runs"]

    def mean(model, length):
        return 100 * sum(values(run, "exact_match", length)[model] for run in runs) / len(runs)

    means = {length: mean("Bahdanau", length) for length in (13, 14)}
    assert mean("Bahdanau", 12) == 100
    without = [f"{mean(model, 12):.1f} %" for model in ("fixed context", "Cho")]
    for page, form in (("README.md", "{0:.0f} % at length {1}"), ("README.zh-CN.md", "长度 {1} 时是 {0:.0f} %")):
        text = " ".join((ROOT / page).read_text().split())
        assert " and ".join(without) in text or " 和 ".join(without) in text, page
        for length, value in means.items():
            assert form.format(value, length) in text, (page, length)


def check_bounds():
    """Checks the bounds that every seed of the main run must meet, and the numbers of the README."""
    check_readme()
    for length in (9, 10, 11, 12):
        assert min(gains_of_context(length)) > 0, length
    for run in load("tutorial_10")["runs"]:
        exact = {length: values(run, "exact_match", length) for length in TRAINED}
        for length in TRAINED:
            assert exact[length]["Bahdanau"] >= 0.99, (run["seed"], length)
        assert alignment(run)[0] >= 0.98, run["seed"]
        assert exact[12]["Bahdanau"] - exact[12]["fixed context"] >= 0.6, run["seed"]
