"""The numbers of how-to/many-machines.md: training in 1 and 2 processes, and the prediction for larger jobs."""

import json
import subprocess
import sys

from results_kit import ROOT, load, markdown_table, where_measured, write

sys.path.insert(0, str(ROOT / "benchmarks"))
import machines as model  # noqa: E402

COMMAND = ["./run", "bench", "machines", "--json"]


def measure(at, only=None):
    done = subprocess.run(COMMAND, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    write("machines", " ".join(COMMAND[:3]), at, json.loads(done.stdout.splitlines()[-1]))


# The text of each marker <!-- result NAME -->.

def machines_measured():
    results = load("machines")
    rows = [[row["config"], f"{row['parameters'] / 1e6:.2f}", f"{1e3 * row['one']:.1f}", f"{1e3 * row['two']:.1f}",
             f"{row['one'] / row['two']:.2f}", f"{1e3 * row['sum']:.1f}"] for row in results["rows"]]
    return (markdown_table(["sizes", "parameters, M", "1 process, ms", "2 processes, ms", "ratio", "adding up, ms"], rows)
            + "\n\n" + where_measured(results))


def machines_predicted():
    results = load("machines")
    networks = {"measured here": (results["alpha"], results["beta"]), **model.NETWORKS}
    rows = [[row["config"], name, *(f"{100 * model.efficiency(row['one'], row['parameters'], P, network):.0f} %" for P in model.JOBS)]
            for row in results["rows"] for name, network in networks.items()]
    return markdown_table(["sizes", "network", *(f"P = {P}" for P in model.JOBS)], rows, texts=2)
