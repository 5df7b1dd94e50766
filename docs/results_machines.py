"""The numbers of how-to/many-machines.md: training in 1 and 2 processes, and the prediction for larger jobs."""

import json
import subprocess
import sys

from results_kit import ROOT, load, markdown_table, where_measured, write

sys.path.insert(0, str(ROOT / "benchmarks"))
import machines as model  # noqa: E402

COMMAND = ["./run", "bench", "machines", "--rounds", "2"]
LEAST = {"small": 1.6, "medium": 1.75}  # speed of 2 processes, relative to 1


def measure(at, only=None):
    done = subprocess.run([*COMMAND, "--json"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    write("machines", " ".join(COMMAND), at, json.loads(done.stdout.splitlines()[-1]))


# The text of each marker <!-- result NAME -->.

def machines_measured():
    results = load("machines")
    rows = [[row["config"], f"{row['parameters'] / 1e6:.2f}", f"{1e3 * row['one']:.1f}", f"{1e3 * row['two']:.1f}",
             f"{1e3 * model.predicted_step(row, 2, (results['alpha'], results['beta'])):.1f}",
             f"{row['one'] / row['two']:.2f}", f"{1e3 * row['sum']:.1f}"] for row in results["rows"]]
    return (markdown_table(["sizes", "parameters, M", "1 process, ms", "2 processes, ms", "predicted, ms", "ratio", "adding up, ms"], rows)
            + "\n\n" + where_measured(results))


def machines_predicted():
    results = load("machines")
    networks = {"measured here": (results["alpha"], results["beta"]), **model.NETWORKS}
    rows = [[row["config"], name, *(f"{100 * model.efficiency(row['one'], row['parameters'], P, network):.0f} %" for P in model.JOBS)]
            for row in results["rows"] for name, network in networks.items()]
    return markdown_table(["sizes", "network", *(f"P = {P}" for P in model.JOBS)], rows, texts=2)


def check_bounds():
    """2 processes are fast enough, and the model of the page predicts them within a tenth."""
    results = load("machines")
    for row in results["rows"]:
        assert row["one"] / row["two"] >= LEAST[row["config"]], row
        predicted = model.predicted_step(row, 2, (results["alpha"], results["beta"]))
        assert abs(predicted / row["two"] - 1) <= 0.1, (row, predicted)
