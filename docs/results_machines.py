"""The numbers of how-to/many-machines.md: training in 1 and 2 processes, and the prediction for larger jobs."""

import json
import pathlib
import subprocess
import sys
import tempfile

from results_kit import ROOT, load, markdown_table, where_measured, write

sys.path.insert(0, str(ROOT / "benchmarks"))
import machines as model  # noqa: E402

COMMAND = ["./run", "bench", "machines", "--rounds", "2"]
LEAST = {"small": 1.6, "medium": 1.75}  # speed of 2 processes, relative to 1

# The loss after the same number of sentences, for several batch sizes. For each batch size, the best of these learning rates
# counts.
SENTENCES, BATCHES, RATES = 65536, (16, 64, 256, 1024), ("0.001", "0.003", "0.01")
TRAIN = ["./run", "gradus", "train", "--task", "reverse", "--hidden", "48", "--embedding", "24", "--energy", "24"]


def batches():
    rows = []
    for batch in BATCHES:
        losses = {}
        for rate in RATES:
            with tempfile.TemporaryDirectory() as folder:
                subprocess.run([*TRAIN, "--batch", str(batch), "--steps", str(SENTENCES // batch), "--learning-rate", rate, "--out", folder],
                               cwd=ROOT, check=True, capture_output=True)
                log = [json.loads(line) for line in pathlib.Path(folder, "log.jsonl").read_text().splitlines()]
                losses[rate] = [entry["dev_loss"] for entry in log if "dev_loss" in entry][-1]
        rate = min(losses, key=losses.get)
        rows.append({"batch": batch, "updates": SENTENCES // batch, "rate": rate, "loss": losses[rate]})
    return rows


def measure(at, only=None):
    done = subprocess.run([*COMMAND, "--json"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    write("machines", " ".join(COMMAND), at, json.loads(done.stdout.splitlines()[-1]))
    write("machines_batches", " ".join([*TRAIN, "--batch 64 --steps", str(SENTENCES // 64)]), at, {"rows": batches()})


# The text of each marker <!-- result NAME -->.

def measured():
    """The rows of sizes that ran in 2 processes."""
    return [row for row in load("machines")["rows"] if "two" in row]


def machines_measured():
    results = load("machines")
    rows = [[row["config"], f"{row['parameters'] / 1e6:.2f}", f"{1e3 * row['one']:.1f}", f"{1e3 * row['two']:.1f}",
             f"{1e3 * model.predicted_step(row, 2, (results['alpha'], results['beta'])):.1f}",
             f"{row['one'] / row['two']:.2f}", f"{1e3 * row['sum']:.1f}"] for row in measured()]
    return (markdown_table(["sizes", "parameters, M", "1 process, ms", "2 processes, ms", "predicted, ms", "ratio", "adding up, ms"], rows)
            + "\n\n" + where_measured(results))


def machines_predicted():
    results = load("machines")
    networks = {"measured here": (results["alpha"], results["beta"]), **model.NETWORKS}

    def cell(row, processes, network):
        return " / ".join(f"{100 * model.efficiency(row['one'], row['parameters'], processes, network, size):.0f} %" for size in (4, 2))
    rows = [[row["config"], name, *(cell(row, P, network) for P in model.JOBS)] for row in results["rows"] for name, network in networks.items()]
    return markdown_table(["sizes", "network", *(f"P = {P}" for P in model.JOBS)], rows, texts=2)


def machines_batches():
    results = load("machines_batches")
    rows = [[row["batch"], row["updates"], row["rate"], f"{row['loss']:.2g}"] for row in results["rows"]]
    return markdown_table(["`--batch`", "updates", "learning rate", "dev loss"], rows, texts=0) + "\n\n" + where_measured(results)


def check_bounds():
    """Checks that 2 processes are fast enough, and that the page's model predicts their time to within a tenth."""
    results = load("machines")
    for row in measured():
        assert row["one"] / row["two"] >= LEAST[row["config"]], row
        predicted = model.predicted_step(row, 2, (results["alpha"], results["beta"]))
        assert abs(predicted / row["two"] - 1) <= 0.1, (row, predicted)
