"""The numbers of explained/sparse-attention.md and hard-attention.md, on reversed sequences. The attention weights are sparse,
limited to a window, or drawn at random."""

import json
import subprocess

from results_kit import ROOT, SEEDS, load, markdown_table, means_first, over_seeds, where_measured, write

METHODS = ["soft", "soft, then top-1", "soft, then top-2", "soft, then top-4", "sparsemax", "top-1", "top-2", "top-4", "local-p", "hard", "Gumbel"]
SMOOTHED = ["soft, smoothed", *(f"soft, smoothed, then top-{k}" for k in (1, 2, 4))]
CHANGED = ["Gumbel, temperature 0.1", "Gumbel", "Gumbel, temperature 10", "soft, batches of 4", "hard, batches of 4", "Gumbel, batches of 4"]
PICTURED = [*METHODS[:1], *METHODS[4:], SMOOTHED[0]]  # the models whose weights the page shows
ENERGIES = ["soft, large energies", "sparsemax, large energies"]


def measure(at):
    runs = []
    for seed in SEEDS:
        done = subprocess.run([ROOT / "run", "bench", "sparse", "--seed", str(seed)], stdout=subprocess.PIPE, text=True, check=True)
        runs.append(json.loads(done.stdout.splitlines()[-1]))
    store(at, runs)


def store(at, runs):
    """Writes the results. Keeps only the weights that the page shows, with four digits."""
    alignments = [run.pop("alignments") for run in runs][0]
    runs[0]["alignments"] = [{**one, "weights": [[float(f"{weight:.4g}") for weight in row] for row in one["weights"]]}
                             for one in alignments if one["name"] in PICTURED]
    write("sparse_attention", "./run bench sparse --seed N", at, {"seeds": [run["seed"] for run in runs], "runs": runs})


def over_runs(part, key, **where):
    """The values of `key`, one per run, from the row that has the entries `where`. None unless every run has such a row with
    `key`."""
    runs = load("sparse_attention")["runs"]
    values = [row[key] for run in runs for row in run[part] if where.items() <= row.items() and key in row]
    return values if len(values) == len(runs) else None


def cell(part, key, form, scale=1, **where):
    values = over_runs(part, key, **where)
    return "–" if values is None else over_seeds([scale * value for value in values], form)


def table(names):
    run = load("sparse_attention")["runs"][0]
    rows = [[name, cell("rows", "exact_early", "{:.0f}", 100, name=name), cell("rows", "exact", "{:.0f}", 100, name=name),
             cell("rows", "non_zero", "{:.1f}", name=name), cell("rows", "exact_10", "{:.0f}", 100, name=name)] for name in names]
    header = ["method", f"%, {run['early']} updates", f"%, {run['steps']} updates", "weights", "%, length 10"]
    results = load("sparse_attention")
    return means_first(markdown_table(header, rows), results, where_measured(results))


# One function per marker <!-- result NAME -->.

def sparse_methods():
    return table(METHODS)


def sparse_smoothed():
    return table(SMOOTHED)


def sparse_changed():
    return table(CHANGED)


def sparse_energies():
    return table(ENERGIES)


def sparse_gradients():
    results = load("sparse_attention")
    gradients = results["runs"][0]["gradients"]
    rows = []
    for first in gradients:
        name, updates = first["name"], first["updates"]
        norm = over_runs("gradients", "norm", name="REINFORCE" if name.startswith("REINFORCE") else name, updates=updates)
        deviation = over_runs("gradients", "deviation", name=name, updates=updates)
        noise = [one / other for one, other in zip(deviation, norm, strict=True)]
        cosine = over_runs("gradients", "cosine", name=name, updates=updates)
        rows.append([name, updates, over_seeds(noise, "{:.1f}"), "–" if name.startswith("REINFORCE") else over_seeds(cosine, "{:.2f}")])
    return means_first(markdown_table(["gradient", "updates", "noise", "cosine"], rows), results, where_measured(results))


def check_bounds():
    """Checks the facts on which the page relies. Five kinds of attention learn the task. The small weights of smooth attention
    cannot be dropped. Hard attention does not learn from batches of 4. If training starts with large energies, softmax learns
    and sparsemax does not. The gradients have the norms that the page quotes. A baseline reduces the variance of the gradient,
    and Gumbel's gradient has the lowest variance."""
    def exact(name):
        return over_runs("rows", "exact", name=name)
    for name in ("sparsemax", "top-2", "local-p", "hard", "Gumbel"):
        assert min(exact(name)) >= 0.9, name
    assert max(exact("soft, smoothed, then top-1")) <= 0.5
    assert max(exact("hard, batches of 4")) <= 0.5
    assert min(exact("soft, large energies")) >= 0.99 and max(exact("sparsemax, large energies")) <= 0.8
    for name, norm in (("Gumbel", 0.23), ("Gumbel, temperature 10", 0.05), ("REINFORCE", 0.33)):  # the page quotes these numbers
        norms = over_runs("gradients", "norm", name=name, updates=100)
        assert round(sum(norms) / len(norms), 2) == norm, name
    early, reference = (over_runs("gradients", "norm", name=name, updates=25) for name in ("Gumbel, temperature 10", "REINFORCE"))
    assert all(a < b / 5 for a, b in zip(early, reference, strict=True))
    for updates in {row["updates"] for row in load("sparse_attention")["runs"][0]["gradients"]}:
        with_baseline, without, gumbel = (over_runs("gradients", "deviation", name=name, updates=updates)
                                          for name in ("REINFORCE", "REINFORCE without a baseline", "Gumbel"))
        assert all(a > b > c for a, b, c in zip(without, with_baseline, gumbel, strict=True)), updates
